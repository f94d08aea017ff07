"""The parts of worlds."""

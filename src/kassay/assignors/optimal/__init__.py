"""The certified best assignment, as assignors."""

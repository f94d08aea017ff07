"""The parts that worlds are put together from."""

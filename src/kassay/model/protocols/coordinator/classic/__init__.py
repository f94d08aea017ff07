"""The coordinator's half of the classic protocol."""

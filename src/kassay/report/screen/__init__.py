"""The terminal output of the commands."""

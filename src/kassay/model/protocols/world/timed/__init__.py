"""The same worlds on an integer clock."""

"""Rules that choose the partition of a record."""

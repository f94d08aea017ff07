"""Partitioners, which choose the partition of a record, and records sent through them."""

"""The invariants of the group protocols."""

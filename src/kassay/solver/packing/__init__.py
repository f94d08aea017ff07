"""Weighted partitions and uneven bundles: intervals for what cannot be solved exactly in time."""

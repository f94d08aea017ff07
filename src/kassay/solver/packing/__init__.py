"""Weighted partitions and uneven bundles: intervals for problems that have no exact solution in time."""

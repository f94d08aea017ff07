"""Breadth-first exploration of all states of a protocol model on Spark, level by level."""

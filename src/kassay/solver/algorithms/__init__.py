"""Flows, levels and sums: algorithms independent of Kafka."""

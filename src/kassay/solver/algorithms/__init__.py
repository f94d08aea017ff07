"""Flows, levels and sums: algorithms that know nothing of Kafka."""

"""Outputs of Kafka's tools, read."""

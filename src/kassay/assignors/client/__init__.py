"""Assignors of Kafka's clients that remember nothing."""

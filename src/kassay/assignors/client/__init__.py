"""Assignors of Kafka's clients that keep no memory."""

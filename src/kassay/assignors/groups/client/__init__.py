"""Assignors of Kafka's clients, and the certified best assignment for their groups."""

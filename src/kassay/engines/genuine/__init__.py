"""Kafka's own group coordinator, in process."""

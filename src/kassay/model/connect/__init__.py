"""Kafka Connect clusters: connectors and tasks, workers and their leader, histories, documents."""

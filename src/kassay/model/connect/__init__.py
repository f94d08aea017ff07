"""Kafka Connect clusters: connectors, tasks, workers, the leader, histories and documents."""

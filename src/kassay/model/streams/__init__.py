"""Kafka Streams applications: tasks, what happens to their processes, and their documents."""

"""Kafka Streams applications: tasks, the events of their processes, and their documents."""

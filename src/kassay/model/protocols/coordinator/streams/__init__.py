"""The coordinator side of KIP-1071: groups of Kafka Streams threads that are assigned tasks."""

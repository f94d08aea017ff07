"""The coordinator's half of KIP-1071: groups of Kafka Streams threads, to which tasks are assigned."""

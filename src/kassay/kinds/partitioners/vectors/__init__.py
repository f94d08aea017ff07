"""Golden vectors of Kafka's hashes."""

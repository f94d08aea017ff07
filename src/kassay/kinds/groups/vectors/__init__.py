"""Golden vectors of Kafka's assignors."""

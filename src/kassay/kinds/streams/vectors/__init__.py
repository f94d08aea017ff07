"""Golden vectors of Kafka's task assignors."""

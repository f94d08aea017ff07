"""Golden vectors of Kafka's Connect assignors."""

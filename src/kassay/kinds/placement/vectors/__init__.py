"""Golden vectors of Kafka's replica placement."""

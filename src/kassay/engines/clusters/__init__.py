"""Read a real consumer group from the outputs of Kafka's tools, and predict how it changes."""

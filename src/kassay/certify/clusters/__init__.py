"""A real consumer group from the outputs of Kafka's tools, and what would become of it."""

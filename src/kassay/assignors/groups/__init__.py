"""The assignors of groups: of Kafka's clients, and of the broker."""

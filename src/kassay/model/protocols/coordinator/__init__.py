"""Kafka's group coordinator as one pure step, and the runtime around it."""

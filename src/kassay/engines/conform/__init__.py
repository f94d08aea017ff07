"""The coordinator model compared with Kafka's own coordinator, step by step."""

"""The group coordinator of Kafka, as one pure step, and the runtime around it."""

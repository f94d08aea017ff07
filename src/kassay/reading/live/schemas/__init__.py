"""Schemas of messages that kafka-python lacks, in the form of Kafka's own schemas."""

"""Outputs of Kafka's own tools, one dialect a file: text in, frozen values out."""

"""Kafka's world as frozen values and pure steps; depends only on the standard library."""

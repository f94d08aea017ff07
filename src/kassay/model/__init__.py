"""Kafka's world as frozen values and pure steps; standard library only."""

"""Jars: where Java is, the shim that asks a class of a jar, and what the classes of a jar are to Kafka."""

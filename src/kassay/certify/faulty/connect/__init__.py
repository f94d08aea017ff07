"""Faulty assignors of Kafka Connect: the optimal rule, or the eager one, with one thing done wrong."""

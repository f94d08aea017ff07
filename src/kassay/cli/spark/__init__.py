"""Shared by commands that start Spark, and explorations of models on it."""

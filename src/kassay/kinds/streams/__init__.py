"""Streams task assignors."""

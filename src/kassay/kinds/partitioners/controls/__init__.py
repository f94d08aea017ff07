"""Faulty partitioners that a run must catch."""

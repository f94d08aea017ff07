"""Faulty task assignors that a run must catch."""

"""Faulty assignors that a run must catch."""

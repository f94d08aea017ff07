"""Faulty Connect assignors that a run must catch."""

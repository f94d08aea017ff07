"""Assignors that return the certified optimum."""

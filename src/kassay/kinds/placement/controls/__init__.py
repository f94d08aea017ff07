"""Faulty placers and planners that a run must catch."""

"""Fuzzing: everything that kassay reads from outside, turned over by Hypothesis for a budget of time."""

"""Counterexamples of a run: the smallest of each broken promise, and what it breaks besides."""

"""Counterexamples of a run: the smallest for each violated claim, and the other claims that it violates."""

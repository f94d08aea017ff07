"""Hunts: the smallest counterexample to a claim, or the evidence that there is none."""

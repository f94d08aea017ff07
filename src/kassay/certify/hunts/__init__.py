"""Hunts: the smallest counterexample to a claim, or what says that there is none."""

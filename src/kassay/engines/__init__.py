"""Certifies a target: its claims and a budget in, verdicts and the smallest counterexamples out."""

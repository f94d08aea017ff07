"""Instances as linear models: a file of MPS for each level of the lexicographic order."""

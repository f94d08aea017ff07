"""Instances by shape and seed, and the search for hard ones."""

"""Instances by shape and seed, and the hunt for bad ones."""

"""Resolves what a user writes to a target that can be called."""

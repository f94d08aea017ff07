"""Optimal solutions with a proof."""

"""Predictions for real clusters, on a terminal."""

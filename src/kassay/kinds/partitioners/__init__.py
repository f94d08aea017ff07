"""Partitioners."""

"""Placements of replicas as pages."""

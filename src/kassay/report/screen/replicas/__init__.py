"""Placements, plans and lints of reassignments, on a terminal."""

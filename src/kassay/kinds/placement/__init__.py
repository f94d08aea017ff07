"""Replica placement: placers and planners."""

"""Worlds in which clients and a coordinator meet, for the explorer to walk."""

"""Worlds of clients and a coordinator, for the explorer."""

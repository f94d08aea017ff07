"""The search for the worst requests."""

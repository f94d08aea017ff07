"""The protocol models for users: explorations, and the switches that break a rule."""

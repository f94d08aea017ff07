"""The consumer's half of both protocols."""

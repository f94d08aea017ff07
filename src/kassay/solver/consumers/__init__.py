"""The certified optimum of consumer assignment."""

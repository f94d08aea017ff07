"""Pages of real clusters."""

"""How the worst requests are searched."""

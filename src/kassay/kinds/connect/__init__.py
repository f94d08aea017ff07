"""Connect assignors."""

"""The algorithms under test: one reference rule a file, and adapters to foreign ones."""

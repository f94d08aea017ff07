"""The algorithms under test: one reference rule a file, and adapters to the assignors of client libraries."""

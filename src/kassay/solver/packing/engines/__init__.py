"""Other solvers that are asked for a packing; nothing is taken on their word."""

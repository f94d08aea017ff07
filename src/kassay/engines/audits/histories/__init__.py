"""The history of a group, built from its records as they are read; one module per protocol."""

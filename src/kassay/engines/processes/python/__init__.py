"""Python classes in child processes under a guard."""

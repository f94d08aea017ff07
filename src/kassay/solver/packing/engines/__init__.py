"""External solvers for packings; every result of theirs is checked."""

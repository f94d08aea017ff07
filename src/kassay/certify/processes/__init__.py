"""A child process for a target, and a guard that leaves nothing of it behind."""

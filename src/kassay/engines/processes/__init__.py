"""A child process for a target, and a guard that cleans up everything it starts."""

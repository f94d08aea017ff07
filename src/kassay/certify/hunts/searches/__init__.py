"""What a search for the worst changes of each kind that is no consumer group, and how bad the answers are."""

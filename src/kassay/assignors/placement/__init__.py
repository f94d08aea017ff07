"""Rules that choose the brokers of new partitions."""

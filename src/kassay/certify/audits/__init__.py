"""What `__consumer_offsets` still holds of groups' rebalances, judged and held against the optimum."""

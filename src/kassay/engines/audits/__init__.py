"""Audit of `__consumer_offsets`: the recorded rebalances of groups, checked and compared with the optimum."""

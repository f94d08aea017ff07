"""Rollouts that `what-if` plans, played with real clients on genuine brokers, and compared with the plan."""

"""The rebalance history of a fleet: from snapshots of its groups to histories and replays."""

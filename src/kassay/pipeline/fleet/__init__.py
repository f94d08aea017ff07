"""The rebalance history of a whole fleet: snapshots of its groups in, histories and replays out."""

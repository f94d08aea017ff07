"""The task assignors of the broker, for groups of the Streams rebalance protocol (KIP-1071)."""

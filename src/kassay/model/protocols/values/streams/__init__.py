"""The values of the protocol of Streams groups (KIP-1071)."""

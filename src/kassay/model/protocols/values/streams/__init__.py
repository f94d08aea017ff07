"""What the protocol of Streams groups talks about (KIP-1071)."""

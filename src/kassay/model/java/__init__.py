"""What Java does where an answer of Kafka depends on it: hashes, orders, 32-bit numbers, random numbers."""

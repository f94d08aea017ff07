"""Java behaviour on which Kafka's answers depend: hashes, orders, 32-bit numbers, random numbers."""

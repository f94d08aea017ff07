"""The protocols before Kafka 0.9: ZooKeeper's, and a proposal that was never released."""

"""The protocols before Kafka 0.9: ZooKeeper's, and the proposal that was never shipped."""

"""The task assignors of Kafka Streams: which process runs which task, and which keeps a standby copy."""

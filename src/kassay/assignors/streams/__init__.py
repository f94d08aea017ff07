"""The task assignors of Kafka Streams, which choose the process of each task and of its standby copies."""

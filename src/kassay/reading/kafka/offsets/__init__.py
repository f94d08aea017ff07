"""The content of `__consumer_offsets` as Kafka's own tools print it: streams of records of any size."""

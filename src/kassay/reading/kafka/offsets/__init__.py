"""What `__consumer_offsets` holds, as Kafka's own tools print it: streams of records, whatever their size."""

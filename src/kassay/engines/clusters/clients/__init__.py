"""What client libraries do in consumer groups, measured: the table, and a path for one library."""

"""Playing batches on Spark, and what runs in its workers."""

"""A walk over all states of a protocol model on Spark, one level of the search after another."""

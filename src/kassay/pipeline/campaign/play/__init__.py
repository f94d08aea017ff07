"""Execution of batches on Spark, and the code of its workers."""

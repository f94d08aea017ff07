"""Campaigns: millions of histories on Spark, in batches that can be resumed: plan, play, records, results."""

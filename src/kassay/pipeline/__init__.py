"""Campaigns, gap studies and fleet replays on Apache Spark: seeds in, Parquet tables out."""

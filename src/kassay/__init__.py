"""kassay (Kafka + assay): puts Kafka's assignment rules to the test."""

__version__ = "0.1.0"

"""Regular expressions as in Kafka's coordinator (RE2): which are valid, and which names they match."""

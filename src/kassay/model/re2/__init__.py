"""Regular expressions as Kafka's coordinator reads them (RE2): which are valid, which names they match."""

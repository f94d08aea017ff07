"""The records of one group as they are read: a history a protocol."""

"""The plain form of targets (dicts and lists in and out) and its adapters."""

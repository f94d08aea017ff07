"""The traces of the genuine group coordinator, step by step."""

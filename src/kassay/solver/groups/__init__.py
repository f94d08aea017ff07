"""Consumer groups and share groups: problems, certified optima, and the gap of an answer to them."""

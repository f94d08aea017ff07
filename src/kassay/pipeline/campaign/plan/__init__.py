"""The plan of a campaign: its spec, and the split of its work."""

"""The networks between clients and the coordinator."""

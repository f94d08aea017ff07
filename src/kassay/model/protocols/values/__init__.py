"""The values of the group protocols, all frozen."""

"""The broker's assignors (KIP-848, share groups), and the lookup of a group's coordinator."""

"""The coordinator's half of KIP-848, and of the migration between the protocols."""

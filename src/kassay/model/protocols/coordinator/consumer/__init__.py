"""The coordinator side of KIP-848, and of the migration between the protocols."""

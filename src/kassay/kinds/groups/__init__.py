"""Consumer groups: client-side, server-side and share-group assignors."""

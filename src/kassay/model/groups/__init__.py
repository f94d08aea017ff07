"""Consumer groups: members, events, histories, and the player that runs an assignor."""

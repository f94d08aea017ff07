"""Consumer groups: who is there, what happens to them, and the player that asks an assignor."""

"""From what a user writes to something that can be asked."""

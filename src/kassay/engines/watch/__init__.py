"""The groups of a live cluster observed again and again: figures of each, and what moved since."""

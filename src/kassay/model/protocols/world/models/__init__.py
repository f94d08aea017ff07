"""The models that `kassay explore` walks: the classic protocol, KIP-848, and both."""

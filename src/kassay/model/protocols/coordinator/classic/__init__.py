"""The coordinator side of the classic protocol."""

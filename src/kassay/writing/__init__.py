"""Text, documents and files out: what others named, shown and kept without harm."""

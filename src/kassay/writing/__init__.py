"""Text, documents and files out: names chosen by others, written so that they do no harm."""

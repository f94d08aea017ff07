"""The kinds of targets, one family a folder: how each is played, judged, shrunk, searched and shown."""

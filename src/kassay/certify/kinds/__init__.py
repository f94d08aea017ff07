"""The kinds of targets: how their cases are made, judged, shrunk and written down."""

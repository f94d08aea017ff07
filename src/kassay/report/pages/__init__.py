"""HTML pages that open offline."""

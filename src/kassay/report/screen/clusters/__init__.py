"""What would become of real clusters, on screen."""

"""What must hold of a group protocol at every moment."""

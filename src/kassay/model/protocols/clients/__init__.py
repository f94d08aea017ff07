"""The client side of all protocols."""

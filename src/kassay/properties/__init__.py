"""What must hold, and the histories that put it to the test."""

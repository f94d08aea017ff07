"""Claims on what targets do, and the histories that test them."""

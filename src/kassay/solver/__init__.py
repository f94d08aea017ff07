"""What is best possible, with a proof."""

"""What the commands that start Spark share, and walks of models on it."""

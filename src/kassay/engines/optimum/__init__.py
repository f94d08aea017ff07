"""The optimum for users: instances, gaps, hunts and rankings."""

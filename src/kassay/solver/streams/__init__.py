"""The certified optimum of tasks with standbys."""

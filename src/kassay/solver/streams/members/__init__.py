"""The certified optimum of tasks for members inside processes."""

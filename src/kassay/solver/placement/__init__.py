"""The certified optimum of replica placement, and the plan that leads there."""

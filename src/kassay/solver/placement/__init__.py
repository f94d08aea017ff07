"""The certified optimum of replica placement, and the plan to reach it."""

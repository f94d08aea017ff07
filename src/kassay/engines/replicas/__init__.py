"""A cluster's replicas: their placement, its quality, the best placement, and the steps to it."""

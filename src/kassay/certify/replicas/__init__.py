"""A cluster's replicas: where they are, how good that is, where they should be, and the way there."""

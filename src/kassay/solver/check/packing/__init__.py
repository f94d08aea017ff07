"""Shared parts of the proofs about packings of partitions and bundles of any sizes."""

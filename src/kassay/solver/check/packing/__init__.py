"""What the proofs about packings share: partitions and bundles of whatever sizes."""

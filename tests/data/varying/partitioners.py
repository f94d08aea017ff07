"""A partitioner that takes any partition, whatever the key."""

import random

META = {"kind": "partitioner", "claims": ("same-key-same-partition",)}


class AnyPartition:
    def partition(self, topic, key, value, num_partitions, available):
        return random.randrange(num_partitions)

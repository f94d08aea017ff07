"""A placer that takes any brokers."""

import random

META = {"kind": "placer", "claims": ("deterministic",)}


class AnyBrokers:
    def place(self, num_partitions, replication_factor, brokers, existing=None):
        ids = [broker["id"] for broker in brokers if not broker["fenced"]]
        return [random.sample(ids, min(replication_factor, len(ids))) for _ in range(num_partitions)]

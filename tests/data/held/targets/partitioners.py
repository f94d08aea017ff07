"""A plain partitioner."""


class ByLength:
    """Takes the length of the key, of no key the next partition beyond the last."""

    META = {"kind": "partitioner", "claims": ["available-only", "deterministic"]}

    def partition(self, topic, key, value, num_partitions, available):
        return num_partitions if key is None else len(key) % num_partitions

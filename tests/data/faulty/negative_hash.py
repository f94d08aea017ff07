"""A partitioner that takes the remainder of a signed hash as C and Java do, toward zero."""


class NegativeHash:
    META = {"kind": "partitioner", "claims": ["in-range"]}  # noqa: RUF012

    def partition(self, topic, key, value, num_partitions, available):
        hashed = 0
        for byte in key or b"":
            hashed = (31 * hashed + byte + 2**31) % 2**32 - 2**31
        return hashed % num_partitions if hashed >= 0 else -(-hashed % num_partitions)

"""Mixes each four bytes of a key by one recursion more, so a key of about four kilobytes (a document as the key) exceeds Python's recursion limit."""
# expect: VIOLATED total

META = {"claims": ["hash-compatible", "available-only", "deterministic"]}

MASK, M = 0xFFFFFFFF, 0x5BD1E995


def words(h, data):
    """The hash after all whole words of four bytes, and what is left of the data."""
    if len(data) < 4:
        return h, data
    k = int.from_bytes(data[:4], "little") * M & MASK
    k = (k ^ k >> 24) * M & MASK
    return words((h * M & MASK) ^ k, data[4:])


def murmur2(data):
    h, tail = words(0x9747B28C ^ len(data), data)
    if tail:
        h = (h ^ int.from_bytes(tail, "little")) * M & MASK
    h = (h ^ h >> 13) * M & MASK
    return h ^ h >> 15


class Functional:
    def __init__(self):
        self.turn = 0

    def partition(self, topic, key, value, num_partitions, available):
        if key is None:
            pool = available or range(num_partitions)
            self.turn += 1
            return pool[self.turn % len(pool)]
        return (murmur2(key) & 0x7FFFFFFF) % num_partitions

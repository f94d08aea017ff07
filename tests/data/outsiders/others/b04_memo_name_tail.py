"""Remembers keys by the topic's name with the number of partitions appended without a separator, so topic `orders1` with 2 partitions and topic `orders` with 12 share their entries."""
# expect: VIOLATED hash-compatible in-range

META = {"claims": ["hash-compatible", "available-only", "deterministic"]}

def murmur2(data):
    mask, m, size = 0xFFFFFFFF, 0x5BD1E995, len(data)
    h = 0x9747B28C ^ size
    for at in range(0, size - size % 4, 4):
        k = int.from_bytes(data[at:at + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m & mask) ^ k
    tail = data[size - size % 4:]
    if tail:
        h = (h ^ int.from_bytes(tail, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


class Remembers:
    """Hashing long keys is slow: the last answers are kept, also by size since topics grow."""

    def __init__(self):
        self.known = {}
        self.turn = {}

    def partition(self, topic, key, value, num_partitions, available):
        if key is None:
            pool = available or list(range(num_partitions))
            self.turn[topic] = self.turn.get(topic, -1) + 1
            return pool[self.turn[topic] % len(pool)]
        entry = (f"{topic}{num_partitions}", key)
        if entry not in self.known:
            if len(self.known) >= 10_000:
                self.known.clear()
            self.known[entry] = (murmur2(key) & 0x7FFFFFFF) % num_partitions
        return self.known[entry]

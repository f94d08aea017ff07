"""Starts its turns for records without a key at `hash(topic)`, which Python salts anew in each process, so two producers with the same records send them to different partitions."""
# expect: VIOLATED deterministic

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


class SpreadStart:
    """Different topics start at different partitions, so that the first one is not the busiest."""

    def __init__(self):
        self.turn = {}

    def partition(self, topic, key, value, num_partitions, available):
        if key is not None:
            return (murmur2(key) & 0x7FFFFFFF) % num_partitions
        if topic not in self.turn:
            self.turn[topic] = hash(topic)
        pool = available or range(num_partitions)
        place = pool[self.turn[topic] % len(pool)]
        self.turn[topic] += 1
        return place

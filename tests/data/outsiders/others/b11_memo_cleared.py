"""Right although it remembers answers and forgets them all at once: an entry is the raw hash of a key, which depends neither on the topic nor on its size."""
# expect: CERTIFIED

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
    LIMIT = 64

    def __init__(self):
        self.hashes = {}
        self.turn = {}

    def partition(self, topic, key, value, num_partitions, available):
        if key is None:
            turn = self.turn[topic] = self.turn.get(topic, -1) + 1
            pool = available if available else range(num_partitions)
            return pool[turn % len(pool)]
        if key not in self.hashes:
            if len(self.hashes) >= self.LIMIT:
                self.hashes.clear()
            self.hashes[key] = murmur2(key) & 0x7FFFFFFF
        return self.hashes[key] % num_partitions

    def close(self):
        self.hashes = {}

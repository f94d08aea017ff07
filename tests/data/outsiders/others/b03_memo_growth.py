"""Remembers the partition of each key by topic and key only, so that a key keeps its old partition after the topic grew, and one that no longer exists after the topic was recreated smaller."""
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
    def __init__(self):
        self.places = {}
        self.turn = 0

    def partition(self, topic, key, value, num_partitions, available):
        if key is None:
            pool = available or list(range(num_partitions))
            self.turn += 1
            return pool[self.turn % len(pool)]
        place = self.places.get((topic, key))
        if place is None:
            place = self.places[topic, key] = (murmur2(key) & 0x7FFFFFFF) % num_partitions
        return place

    def close(self):
        self.places.clear()

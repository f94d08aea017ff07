"""Takes the hash of a key modulo the partitions that have a leader, so keys move to other partitions while a broker is down, and come back afterwards."""
# expect: VIOLATED hash-compatible same-key-same-partition

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


class Available:
    def __init__(self):
        self.turn = -1

    def partition(self, topic, key, value, num_partitions, available):
        pool = sorted(available) or list(range(num_partitions))
        if key is None:
            self.turn += 1
            return pool[self.turn % len(pool)]
        return pool[(murmur2(key) & 0x7FFFFFFF) % len(pool)]

"""An empty key is taken for a missing one (`if not key`), so records with the key b'' go in turn to all partitions instead of to the hash of the empty key."""
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


class InTurn:
    def __init__(self):
        self.sent = {}

    def partition(self, topic, key, value, num_partitions, available):
        if not key:
            pool = list(available) or list(range(num_partitions))
            turn = self.sent.get(topic, 0)
            self.sent[topic] = turn + 1
            return pool[turn % len(pool)]
        return (murmur2(key) & 0x7FFFFFFF) % num_partitions

"""Takes turns by rotating the caller's own list of available partitions in place, which changes what everyone else sees as soon as a topic has two or more partitions with a leader and a record has no key."""
# expect: VIOLATED pure

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


class Rotates:
    def __init__(self):
        self.last = {}

    def partition(self, topic, key, value, num_partitions, available):
        if key is not None:
            return (murmur2(key) & 0x7FFFFFFF) % num_partitions
        if not available:
            self.last[topic] = (self.last.get(topic, -1) + 1) % num_partitions
            return self.last[topic]
        for _ in range(len(available)):
            if available[0] != self.last.get(topic):
                break
            available.append(available.pop(0))
        self.last[topic] = available[0]
        return available[0]

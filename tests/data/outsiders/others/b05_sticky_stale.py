"""Records without a key stick to one partition that is chosen again only when the topic changes its size, so they keep going to it after it lost its leader while others have one."""
# expect: VIOLATED available-only
import zlib

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


class Sticky:
    def __init__(self):
        self.sticky = {}

    def partition(self, topic, key, value, num_partitions, available):
        if key is not None:
            return (murmur2(key) & 0x7FFFFFFF) % num_partitions
        chosen = self.sticky.get(topic)
        if chosen is None or chosen[1] != num_partitions:
            pool = available or list(range(num_partitions))
            chosen = pool[zlib.crc32(topic.encode()) % len(pool)], num_partitions
            self.sticky[topic] = chosen
        return chosen[0]

    def close(self):
        self.sticky.clear()

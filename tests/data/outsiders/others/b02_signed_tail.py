"""The last one to three bytes of a key are taken as signed (Java's `& 0xff` was forgotten), so keys whose tail is not ASCII, such as names in UTF-8 or binary ids, go elsewhere than Kafka's."""
# expect: VIOLATED hash-compatible

META = {"claims": ["hash-compatible", "available-only", "deterministic"]}

def signed(byte):
    return byte - 256 if byte > 127 else byte


def murmur2(data):
    mask, m, size = 0xFFFFFFFF, 0x5BD1E995, len(data)
    h = 0x9747B28C ^ size
    for at in range(0, size - size % 4, 4):
        k = int.from_bytes(data[at:at + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m & mask) ^ k
    at, left = size - size % 4, size % 4
    if left >= 3:
        h ^= signed(data[at + 2]) << 16 & mask
    if left >= 2:
        h ^= signed(data[at + 1]) << 8 & mask
    if left >= 1:
        h ^= signed(data[at]) & mask
        h = h * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


class Port:
    def __init__(self):
        self.turn = -1

    def partition(self, topic, key, value, num_partitions, available):
        if key is None:
            pool = available or range(num_partitions)
            self.turn += 1
            return pool[self.turn % len(pool)]
        return (murmur2(key) & 0x7FFFFFFF) % num_partitions

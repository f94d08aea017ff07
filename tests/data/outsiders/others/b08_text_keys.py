"""Normalises keys as UTF-8 text before it hashes them, which replaces bytes that are no UTF-8: keys in Avro, of eight-byte numbers or of raw UUIDs go elsewhere than Kafka's."""
# expect: VIOLATED hash-compatible

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


class TextKeys:
    def __init__(self):
        self.turn = 0

    def partition(self, topic, key, value, num_partitions, available):
        if key is None:
            pool = available or range(num_partitions)
            self.turn += 1
            return pool[(self.turn - 1) % len(pool)]
        text = key.decode("utf-8", errors="replace")
        return (murmur2(text.encode("utf-8")) & 0x7FFFFFFF) % num_partitions

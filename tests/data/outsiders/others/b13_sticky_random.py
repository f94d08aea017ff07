"""Right although it is random and sticky: each topic's generator is seeded by a checksum of its name, and the sticky partition is dropped as soon as it has no leader or does not exist."""
# expect: CERTIFIED
import random
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
    BATCH = 16

    def __init__(self):
        self.state = {}

    def partition(self, topic, key, value, num_partitions, available):
        if key is not None:
            return (murmur2(key) & 0x7FFFFFFF) % num_partitions
        pool = sorted(available) or list(range(num_partitions))
        if topic not in self.state:
            self.state[topic] = {"rng": random.Random(zlib.crc32(topic.encode())), "place": None, "sent": 0}
        state = self.state[topic]
        if state["place"] not in pool or state["sent"] >= self.BATCH:
            others = [each for each in pool if each != state["place"]]
            state["place"] = state["rng"].choice(others or pool)
            state["sent"] = 0
        state["sent"] += 1
        return state["place"]

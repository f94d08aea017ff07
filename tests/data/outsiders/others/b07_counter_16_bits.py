"""Counts records without a key in 16 signed bits and divides as C does, so after 32,767 of them the remainder, and with it the partition, is negative."""
# expect: VIOLATED in-range
import ctypes
import math

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


class Counts:
    def __init__(self):
        self.count = ctypes.c_int16(-1)

    def partition(self, topic, key, value, num_partitions, available):
        if key is not None:
            return (murmur2(key) & 0x7FFFFFFF) % num_partitions
        self.count.value += 1
        if not available or len(available) == num_partitions:
            return int(math.fmod(self.count.value, num_partitions))
        return available[self.count.value % len(available)]

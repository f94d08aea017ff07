"""Right although it looks like the abs() bug: adding 2**31 to a negative int clears its sign bit, exactly as Kafka's `toPositive`, and all shifts of signed numbers are made unsigned first."""
# expect: CERTIFIED
from ctypes import c_int32

META = {"claims": ["hash-compatible", "available-only", "deterministic"]}

M = 0x5BD1E995


def times(number):
    return c_int32(number * M).value


def shift(number, bits):
    return (number & 0xFFFFFFFF) >> bits


def murmur2(data):
    size = len(data)
    h = c_int32(0x9747B28C ^ size).value
    for at in range(0, size // 4 * 4, 4):
        k = times(int.from_bytes(data[at:at + 4], "little", signed=True))
        h = times(h) ^ times(c_int32(k ^ shift(k, 24)).value)
    if size % 4:
        tail = sum(data[size // 4 * 4 + n] << 8 * n for n in range(size % 4))
        h = times(h ^ tail)
    h = times(c_int32(h ^ shift(h, 13)).value)
    return c_int32(h ^ shift(h, 15)).value


class JavaInts:
    def __init__(self):
        self.count = -1

    def partition(self, topic, key, value, num_partitions, available):
        if key is None:
            self.count = (self.count + 1) % 2**31
            return available[self.count % len(available)] if available else self.count % num_partitions
        hashed = murmur2(key)
        return (hashed if hashed >= 0 else hashed + 2**31) % num_partitions

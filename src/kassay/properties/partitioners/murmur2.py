"""Kafka's hash of a key, implemented a second time for the claims: checked code must not check itself.

The tail is read byte by byte and words are unpacked together, unlike in the reference partitioner.
Source: Kafka `Utils.murmur2`; Austin Appleby's MurmurHash2.
"""

from __future__ import annotations

import struct
from functools import reduce
from typing import Final

_M: Final = 0x5BD1E995
_SEED: Final = 0x9747B28C
_BITS: Final = (1 << 32) - 1
_BACK: Final = pow(_M, -1, 1 << 32)


def _times(value: int) -> int:
    return value * _M & _BITS


def _mix(state: int, word: int) -> int:
    scrambled = _times(word)
    return _times(state) ^ _times(scrambled ^ scrambled >> 24)


def unsigned_murmur2(data: bytes) -> int:
    """The hash as an unsigned number.

    >>> unsigned_murmur2(b"") == 275646681
    True
    """
    words = len(data) // 4
    tail = data[4 * words :]
    state = reduce(_mix, struct.unpack_from(f"<{words}I", data), _SEED ^ len(data))
    if tail:
        for place, byte in enumerate(tail):
            state ^= byte << 8 * place
        state = _times(state)
    state = _times(state ^ state >> 13)
    return state ^ state >> 15


def partition_of_key(key: bytes, count: int) -> int:
    """Where Kafka's default partitioner sends the key among `count` partitions.

    >>> partition_of_key(b"21", 50)
    40
    """
    return (unsigned_murmur2(key) & 0x7FFFFFFF) % count


def key_with_hash(wanted: int, head: bytes = b"") -> bytes:
    """The key that begins with `head`, of a length divisible by 4, has 4 bytes more and this unsigned hash.

    >>> unsigned_murmur2(key_with_hash(0x80000000, b"orders..")) == 0x80000000
    True
    """
    words = struct.unpack(f"<{len(head) // 4}I", head)
    state = reduce(_mix, words, _SEED ^ (len(head) + 4))
    ended = wanted ^ wanted >> 15 ^ wanted >> 30
    ended = ended * _BACK & _BITS
    ended ^= ended >> 13 ^ ended >> 26
    word = (ended ^ _times(state)) * _BACK & _BITS
    word = (word ^ word >> 24) * _BACK & _BITS
    return head + struct.pack("<I", word)

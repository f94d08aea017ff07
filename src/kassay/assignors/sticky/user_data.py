"""Encoding and decoding of the bytes that Kafka's sticky assignors put into a subscription.

`sticky` sends what its member owned and the generation in which it got it; before Kafka 2.3 it sent no
generation. `cooperative-sticky` sends the generation alone. All integers are big-endian.

    sticky, version 0        array of (topic, array of int32)
    sticky, version 1        the same, then generation int32
    cooperative-sticky       generation int32

An array starts with its int32 length, a topic is an int16 length and UTF-8.
Source: KIP-54, KIP-341, KIP-429; Kafka client `StickyAssignor` and `CooperativeStickyAssignor` 3.9.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from struct import Struct, error, pack, unpack_from
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition, numbered, numbers_by_topic
from kassay.model.groups.group import NO_GENERATION
from kassay.model.java.hashes import hash_map_order

INT16: Final = Struct(">h")
INT32: Final = Struct(">i")
DECODED: Final = 256
"""How many members' data is cached: a leader often gets the same group again."""
Runs = Sequence[tuple[str, Sequence[int]]]


class UserDataClaim(NamedTuple):
    """The partitions that a member reports as owned, and their generation (-1: not reported)."""

    owned: tuple[TopicPartition, ...] = ()
    generation: int = NO_GENERATION


def sticky_user_data(owned: Iterable[TopicPartition], generation: int | None) -> bytes:
    """What `StickyAssignor` sends for these partitions, topic by topic in the order of Java's hash table.

    Version 1, or version 0 where `generation` is None.
    """
    by_topic = numbers_by_topic(owned)
    # `HashMap.computeIfAbsent` puts a new key before those that share its bucket, `put` after them.
    in_order = hash_map_order(reversed(by_topic))
    return encode_sticky([(topic, by_topic[topic]) for topic in in_order], generation)


def encode_sticky(runs: Runs, generation: int | None) -> bytes:
    """Version 1 of the sticky user data, or version 0 where `generation` is None."""
    parts = [INT32.pack(len(runs))]
    for topic, numbers in runs:
        name = topic.encode("utf-8", "surrogatepass")
        parts += (
            INT16.pack(len(name)),
            name,
            INT32.pack(len(numbers)),
            pack(f">{len(numbers)}i", *numbers),
        )
    if generation is not None:
        parts.append(INT32.pack(generation))
    return b"".join(parts)


@lru_cache(maxsize=DECODED)
def decode_sticky(data: bytes | None) -> UserDataClaim:
    """The ownership in a member's sticky user data; empty if the data is missing or malformed."""
    if not data:
        return UserDataClaim()
    try:
        owned, end = _decode_owned(data)
    except (error, ValueError):
        return UserDataClaim()
    # Data too short for a generation is version 0, as Kafka falls back to its older schema.
    generation = INT32.unpack_from(data, end)[0] if len(data) - end >= INT32.size else NO_GENERATION
    return UserDataClaim(tuple(owned), generation)


def _decode_owned(data: bytes) -> tuple[list[TopicPartition], int]:
    """The partitions at the start of the data, and the offset after them."""
    owned: list[TopicPartition] = []
    topics, at = _length(INT32, data, 0)
    for _ in range(topics):
        size, at = _length(INT16, data, at)
        topic = data[at : at + size].decode("utf-8", "replace")
        count, at = _length(INT32, data, at + size)
        owned += numbered(topic, unpack_from(f">{count}i", data, at))
        at += count * INT32.size
    return owned, at


def _length(kind: Struct, data: bytes, at: int) -> tuple[int, int]:
    """A length and the offset after it; no length is negative or exceeds the remaining bytes."""
    length: int = kind.unpack_from(data, at)[0]
    at += kind.size
    if not 0 <= length <= len(data) - at:
        raise ValueError(f"a length of {length} with {len(data) - at} bytes left")
    return length, at


def encode_generation(generation: int) -> bytes:
    """The bytes that `CooperativeStickyAssignor` sends."""
    return INT32.pack(generation)


def decode_generation(data: bytes | None) -> int:
    """The generation in a member's cooperative user data, -1 if there is none."""
    if data is None or len(data) < INT32.size:
        return NO_GENERATION
    generation: int = INT32.unpack_from(data)[0]
    return generation

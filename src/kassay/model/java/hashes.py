"""Java's orders and hashes, if an answer of Kafka depends on them.

Java compares strings by UTF-16 code unit and Python by code point; the two differ only for characters outside
the basic plane. `HashMap` iterates its buckets, so the order in which a Java leader sees members and topics
follows from their hashes. Sources: the Javadoc of `String.hashCode` and `String.compareTo`;
`java.util.HashMap`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar

_TABLE_MIN = 16
_LOAD_FACTOR = 0.75

_Key = TypeVar("_Key")


def utf16_key(text: str) -> bytes:
    """A sort key that orders strings as Java's `String.compareTo` does."""
    return text.encode("utf-16-be", "surrogatepass")


def utf16_sorted(texts: Iterable[str]) -> list[str]:
    """The strings in Java's natural order."""
    items = list(texts)
    if "".join(items).isascii():
        return sorted(items)
    return sorted(items, key=utf16_key)


@lru_cache(maxsize=1 << 14)
def string_hash(text: str) -> int:
    """Java's `String.hashCode`: a signed 32-bit number over UTF-16 code units.

    >>> string_hash("polygenelubricants")
    -2147483648
    """
    value = 0
    if text.isascii():
        for unit in text.encode("ascii"):
            value = (31 * value + unit) & 0xFFFFFFFF
    else:
        data = utf16_key(text)
        for high, low in zip(data[::2], data[1::2], strict=True):
            value = (31 * value + (high << 8 | low)) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def uuid_halves(value: bytes) -> tuple[int, int]:
    """The two signed 64-bit halves of a 16-byte id, most significant first.

    Both `org.apache.kafka.common.Uuid` and `java.util.UUID` compare their ids by these halves, so
    an id with the top bit set comes before one without.
    """
    most, least = struct.unpack(">qq", value)
    return most, least


def uuid_hash(halves: tuple[int, int]) -> int:
    """The low 32 bits of `hashCode` of Kafka's `Uuid` and of `java.util.UUID`."""
    mixed = (halves[0] ^ halves[1]) & 0xFFFFFFFFFFFFFFFF
    return (mixed >> 32) ^ (mixed & 0xFFFFFFFF)


def bucket_order(
    keys: Iterable[_Key], hash_code: Callable[[_Key], int], capacity: int = _TABLE_MIN
) -> list[_Key]:
    """The iteration order of a `java.util.HashMap` filled with the keys in this order by `put`.

    The bucket is `(h ^ h >>> 16) & (table size - 1)`; the table size is the least power of two from
    `capacity` on such that the keys fill at most three quarters of it; within a bucket, insertion order.
    """
    items = list(dict.fromkeys(keys))
    if len(items) < 2:
        return items
    table = _table_for(capacity)
    while len(items) > table * _LOAD_FACTOR:
        table *= 2
    return sorted(items, key=lambda key: _bucket(hash_code(key), table))


def computed_order(
    keys: Iterable[_Key], hash_code: Callable[[_Key], int], capacity: int = _TABLE_MIN
) -> list[_Key]:
    """The iteration order of a `java.util.HashMap` filled in this order by `computeIfAbsent`.

    A new key goes in front of the keys in its bucket, whereas `put` appends it; and the table grows at the
    call after the one that filled it, even if that call adds nothing.
    """
    table = _table_for(capacity)
    order: dict[_Key, None] = {}
    for key in keys:
        if len(order) > int(table * _LOAD_FACTOR):
            table *= 2
        order[key] = None
    # Growing splits buckets and keeps the order inside them: the newest key comes first.
    youngest_first = list(reversed(order))
    return sorted(youngest_first, key=lambda key: _bucket(hash_code(key), table))


def sized_table(entries: int) -> int:
    """The initial capacity that Kafka's assignors request if they know the number of entries."""
    return int((entries + 1) / _LOAD_FACTOR + 1)


def _table_for(capacity: int) -> int:
    """The table size for this initial capacity: the next power of two."""
    return 1 << max(capacity - 1, 0).bit_length()


def _bucket(hash_code: int, table: int) -> int:
    h = hash_code & 0xFFFFFFFF
    return (h ^ h >> 16) & (table - 1)


def hash_map_order(texts: Iterable[str]) -> list[str]:
    """`bucket_order` of strings."""
    return bucket_order(texts, string_hash)

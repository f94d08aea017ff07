"""Java's orders and hashes, where an answer of Kafka depends on them.

Java compares strings by UTF-16 code unit and Python by code point; the two differ only for
characters outside the basic plane. `HashMap` iterates its buckets, so a Java leader sees members
and topics in an order that follows from their hashes alone.
Sources: the Javadoc of `String.hashCode` and `String.compareTo`; `java.util.HashMap`.
"""

from __future__ import annotations

from collections.abc import Iterable

_TABLE_MIN = 16
_LOAD_FACTOR = 0.75


def utf16_key(text: str) -> bytes:
    """A sort key that orders strings as Java's `String.compareTo` does."""
    return text.encode("utf-16-be", "surrogatepass")


def utf16_sorted(texts: Iterable[str]) -> list[str]:
    """The strings in Java's natural order."""
    items = list(texts)
    if all(text.isascii() for text in items):
        return sorted(items)
    return sorted(items, key=utf16_key)


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


def hash_map_order(texts: Iterable[str]) -> list[str]:
    """The order in which a `java.util.HashMap` filled in this order iterates its string keys.

    Bucket `(h ^ h >>> 16) & (capacity - 1)`; the capacity is the least power of two from 16 on
    that keeps the size at or under three quarters of it; within a bucket, insertion order.
    """
    keys = list(dict.fromkeys(texts))
    capacity = _TABLE_MIN
    while len(keys) > capacity * _LOAD_FACTOR:
        capacity *= 2

    def bucket(key: str) -> int:
        h = string_hash(key) & 0xFFFFFFFF
        return (h ^ h >> 16) & (capacity - 1)

    return sorted(keys, key=bucket)

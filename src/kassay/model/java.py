"""What Java does where an answer of Kafka depends on it: 32-bit numbers, hashes, orders, random numbers.

Arithmetic overflows and takes signs as Java's `int` does. Java compares strings by UTF-16 code unit and
Python by code point; the two differ only for characters outside the basic plane. `HashMap` iterates its
buckets, so the order in which a Java leader sees members and topics follows from their hashes. Sources
of random numbers: injected, Java's generator, or a recorded list. Sources: the Java Language
Specification, 15.17.3 and 15.18.2; Sources: the Javadoc of `String.hashCode` and `String.compareTo`;
Sources: the Javadoc of `java.util.Random` (the generator is part of its contract) and of
`java.util.Collections.shuffle`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, MutableSequence
from functools import lru_cache
from typing import Any, Final, Protocol, TypeVar

from kassay.model.errors import InputError

INT_MIN: Final = -(1 << 31)
_MASK: Final = 0xFFFFFFFF


def wrap(value: int) -> int:
    """The number as a Java int: the low 32 bits, signed.

    >>> wrap(2**31)
    -2147483648
    """
    value &= _MASK
    return value - (1 << 32) if value >> 31 else value


def remainder(value: int, divisor: int) -> int:
    """Java's `%` for a positive divisor: it has the sign of the value.

    >>> remainder(-7, 5), -7 % 5
    (-2, 3)
    """
    return value % divisor if value >= 0 else -(-value % divisor)


def utils_abs(value: int) -> int:
    """Kafka's `Utils.abs`: the absolute value of an int, and 0 for the one int that has none.

    >>> utils_abs(-5), utils_abs(-2147483648)
    (5, 0)
    """
    return 0 if value == INT_MIN else abs(value)


def to_positive(value: int) -> int:
    """Kafka's `Utils.toPositive`: the int without its sign bit, which is not its absolute value.

    >>> to_positive(5), to_positive(-5)
    (5, 2147483643)
    """
    return value & 0x7FFFFFFF


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


def partition_hash(topic: str, partition: int) -> int:
    """`hashCode` of Kafka's TopicPartition.

    >>> partition_hash("t0", 2)
    4667
    """
    return wrap(31 * (31 + partition) + string_hash(topic))


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
    return sorted(items, key=lambda key: bucket(hash_code(key), table))


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
    return sorted(youngest_first, key=lambda key: bucket(hash_code(key), table))


def sized_table(entries: int) -> int:
    """The initial capacity that Kafka's assignors request if they know the number of entries."""
    return int((entries + 1) / _LOAD_FACTOR + 1)


def _table_for(capacity: int) -> int:
    """The table size for this initial capacity: the next power of two."""
    return 1 << max(capacity - 1, 0).bit_length()


def bucket(hash_code: int, table: int) -> int:
    """The bucket of a hash code in a `java.util.HashMap` with a table of this size, a power of two."""
    h = hash_code & 0xFFFFFFFF
    return (h ^ h >> 16) & (table - 1)


def hash_map_order(texts: Iterable[str]) -> list[str]:
    """`bucket_order` of strings."""
    return bucket_order(texts, string_hash)


_MULTIPLIER: Final = 0x5DEECE66D
_INCREMENT: Final = 0xB
_STATE_MASK: Final = (1 << 48) - 1
_INT_MAX: Final = (1 << 31) - 1

POSITIVE_INTS: Final = 1 << 31
"""The number of non-negative Java ints: the bound for drawing a non-negative int."""


class RandomSource(Protocol):
    """A source of random numbers for an algorithm."""

    def next_int(self, bound: int) -> int:
        """A uniform random number from 0 to `bound` - 1."""


class JavaRandom:
    """`java.util.Random`: the same seed gives the same numbers as in Java.

    >>> random = JavaRandom(42)
    >>> [random.next_int(10) for _ in range(5)]
    [0, 3, 8, 4, 0]
    """

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _STATE_MASK

    def next_bits(self, bits: int) -> int:
        """The generator's next non-negative number with that many bits."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _STATE_MASK
        return self._state >> (48 - bits)

    def next_int(self, bound: int) -> int:
        """A number from 0 to `bound` - 1; raises `InputError` unless 0 < bound <= 2**31."""
        if not 0 < bound <= POSITIVE_INTS:
            raise InputError(f"bound of a random number: {bound}, expected 1 to {POSITIVE_INTS}")
        if bound & (bound - 1) == 0:
            return (bound * self.next_bits(31)) >> 31
        while True:
            bits = self.next_bits(31)
            value = bits % bound
            # Java rejects the last, incomplete run of values by an int overflow.
            if bits - value + (bound - 1) <= _INT_MAX:
                return value


class Recorded:
    """Replays draws that were recorded as (bound, value), in order.

    A draw with another bound than recorded, or beyond the end of the record, raises `InputError`: the caller
    does not follow the recorded run.
    """

    def __init__(self, draws: Iterable[tuple[int, int]]) -> None:
        self._draws = [(bound, value) for bound, value in draws]
        self._next = 0

    @property
    def left(self) -> int:
        """The number of unused recorded draws."""
        return len(self._draws) - self._next

    def next_int(self, bound: int) -> int:
        """The next recorded value."""
        if not self.left:
            raise InputError(f"random draw {self._next + 1}: bound {bound}, expected no further draw")
        recorded, value = self._draws[self._next]
        if recorded != bound:
            raise InputError(f"random draw {self._next + 1}: bound {bound}, expected {recorded}")
        self._next += 1
        return value


def shuffle(items: MutableSequence[Any], random: RandomSource) -> None:
    """Permute the items in place as Java's `Collections.shuffle` does: from the end, one draw each."""
    for size in range(len(items), 1, -1):
        other = random.next_int(size)
        items[size - 1], items[other] = items[other], items[size - 1]

"""Classes of keys: lengths on both sides of a boundary, content, relations between keys, and hashes.

A class makes keys for a topic with so many partitions, and recognises itself in keys. Keys are serialized:
Kafka's producer takes any bytes up to `max.request.size`. Sources: Kafka `ProducerRecord`, `Serializer`,
`Utils.murmur2`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from random import Random
from typing import Final, NamedTuple
from unicodedata import normalize
from uuid import UUID

from kassay.properties.partitioners.murmur2 import key_with_hash, unsigned_murmur2
from kassay.properties.sources import Source

CountedKey = tuple[bytes, int]
"""A key, and the number of partitions of the topic that it is sent to."""


class KeyClass(NamedTuple):
    """A class of keys: `make(source, count)` returns some for a topic of so many partitions."""

    id: str
    make: Callable[[Source, int], Sequence[bytes]]
    seen: Callable[[Sequence[CountedKey]], bool]


def random_bytes(source: Source, size: int) -> bytes:
    """So many bytes, by one choice of the source."""
    return Random(source.integer(0, 2**31)).randbytes(size)


# Lengths

_LENGTHS: Final = (
    *((36, 37), (24, 25), (128, 127, 129), (1, 2, 3, 4, 5), (16, 15, 17), (256, 255, 257), (8, 7, 9)),
    *((22, 23), (32, 31, 33), (40, 48, 56), (64, 63, 65), (100, 101), (1 << 10, (1 << 10) + 1), (1 << 12,)),
    *((1 << 15, (1 << 15) - 1), ((1 << 16) + 1,)),
)
LONG_BYTES: Final = 1 << 11
"""From this length on there is one key of each length: hashing it takes time."""


def lengths_words(sizes: Sequence[int]) -> str:
    """Lengths as a class of keys or values: `24 and 25 bytes`, `127 to 129 bytes`."""
    ordered = sorted(sizes)
    near = len(ordered) > 2 and ordered[-1] - ordered[0] == len(ordered) - 1
    words = f"{ordered[0]} to {ordered[-1]}" if near else " and ".join(map(str, ordered))
    return f"{words} byte{'' if words == '1' else 's'}"


def _of_lengths(sizes: Sequence[int]) -> KeyClass:
    def make(source: Source, _: int) -> list[bytes]:
        return [key for size in sizes for key in _some_of_length(source, size)]

    return KeyClass(lengths_words(sizes), make, lambda keys: {len(key) for key, _ in keys}.issuperset(sizes))


def _some_of_length(source: Source, size: int) -> list[bytes]:
    """Text, other bytes, and these with another first or last bit."""
    key = random_bytes(source, size)
    if size >= LONG_BYTES:
        return [key]
    text = bytes(97 + byte % 26 for byte in key)
    near = [key[:-1] + bytes((key[-1] ^ 1,)), bytes((key[0] ^ 128,)) + key[1:]]
    return list(dict.fromkeys((text, key, *near)))


def _some(seen: Callable[[bytes], bool]) -> Callable[[Sequence[CountedKey]], bool]:
    return lambda keys: any(seen(key) for key, _ in keys)


KEY_LENGTHS: Final = (
    KeyClass("empty", lambda *_: [b""], _some(lambda key: not key)),
    *map(_of_lengths, _LENGTHS),
)


# Content, alone and in relation to other keys


def is_utf8(data: bytes) -> bool:
    """Whether the bytes are text."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_json(data: bytes) -> bool:
    """Whether the bytes are a JSON object."""
    if not data.startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(data), dict)
    except ValueError:
        return False


_UUID: Final = re.compile(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


def _matching(pattern: bytes) -> Callable[[Sequence[CountedKey]], bool]:
    match = re.compile(pattern, re.DOTALL).match
    return _some(lambda key: match(key) is not None)


def _uuids(source: Source, _: int) -> list[bytes]:
    return [str(UUID(bytes=random_bytes(source, 16), version=4)).encode() for _ in range(4)]


def _longs(first: int) -> Callable[[Source, int], list[bytes]]:
    """Java longs, as its serializer writes them."""

    def make(source: Source, _: int) -> list[bytes]:
        start = first + source.integer(0, 1000)
        return [(start + step).to_bytes(8, "big", signed=True) for step in (0, 1, 2, 256, 65_536)]

    return make


def _avro(source: Source, _: int) -> list[bytes]:
    """The magic byte, the id of a schema, and a short text with its length."""
    schema = source.integer(1, 300).to_bytes(4, "big")
    return [b"\0" + schema + bytes((2 * len(word),)) + word for word in (b"order-17", b"order-18", b"eu")]


def _around(size: int) -> Callable[[Source, int], list[bytes]]:
    """Keys that differ only in their first byte, one in the middle, or the last."""

    def make(source: Source, _: int) -> list[bytes]:
        key = random_bytes(source, size)
        places = (0, size // 2, size - 1)
        return [key, *(key[:at] + bytes((key[at] ^ 1,)) + key[at + 1 :] for at in places)]

    return make


def _differ_in_one(size: int) -> Callable[[Sequence[CountedKey]], bool]:
    def seen(keys: Sequence[CountedKey]) -> bool:
        same = {key for key, _ in keys if len(key) == size}
        return any(
            sum(a != b for a, b in zip(one, other)) == 1 for one in same for other in same if one < other
        )

    return seen


def _repeats(of: Callable[[bytes], object]) -> Callable[[Sequence[CountedKey]], bool]:
    """Whether two different keys are equal in this respect; None is equal to nothing."""

    def seen(keys: Sequence[CountedKey]) -> bool:
        values = Counter(value for key in {key for key, _ in keys} if (value := of(key)) is not None)
        return max(values.values(), default=0) > 1

    return seen


def java_hash(key: bytes) -> int:
    """Java's `Arrays.hashCode` of the bytes."""
    value = 1
    for byte in key:
        value = (31 * value + (byte if byte < 128 else byte - 256)) % 2**32
    return value


def _begins_another(keys: Sequence[CountedKey]) -> bool:
    ordered = sorted({key for key, _ in keys if key})
    return any(after.startswith(before) for before, after in pairwise(ordered))


def _text_of(change: Callable[[str], str]) -> Callable[[bytes], object]:
    return lambda key: change(key.decode()) if key and is_utf8(key) else None


def _every_end(keys: Sequence[CountedKey]) -> bool:
    """Whether keys of two bytes and more begin with every byte, and end with every byte."""
    ends = [{key[place] for key, _ in keys if len(key) > 1} for place in (0, -1)]
    return all(len(own) == 256 for own in ends)


def _fixed(*keys: bytes) -> Callable[[Source, int], Sequence[bytes]]:
    return lambda source, _: keys if source.boolean() else keys[::-1]


def _number_value(key: bytes) -> object:
    return int(key) if key.isdigit() and len(key) < 20 else None


KEY_CONTENTS: Final = (
    KeyClass("UUID", _uuids, _some(lambda key: _UUID.match(key) is not None)),
    KeyClass(
        "text beyond ASCII",
        _fixed("Größe-7".encode(), "注文-7".encode(), "🚀".encode()),
        _some(lambda key: not key.isascii() and is_utf8(key)),
    ),
    KeyClass(
        "not UTF-8",
        _fixed(b"\xff\xfeab", b"a\x80", b"\xc3\x28", b"\xed\xa0\x80x"),
        _some(lambda k: not is_utf8(k)),
    ),
    KeyClass("text of ASCII", _fixed(b"customer-17", b"eu/7:x"), _matching(rb"[!-~]{3,}\Z")),
    KeyClass("digits", _fixed(b"4711", b"4712", b"10", b"9"), _some(bytes.isdigit)),
    KeyClass("longs", _longs(0), _matching(rb"\0{4}.{4}\Z")),
    KeyClass("negative longs", _longs(-(1 << 40)), _matching(rb"\xff{2}.{6}\Z")),
    KeyClass("Avro", _avro, _matching(rb"\0..[\0\1].[\0-\x7f][ -~]")),
    KeyClass("JSON", _fixed(b'{"id":7}', b'{"id": 7}'), _some(is_json)),
    KeyClass(
        "every first and last byte",
        lambda s, _: [
            bytes((255 - byte,)) + random_bytes(s, byte % 4) + bytes((byte,)) for byte in range(256)
        ],
        _every_end,
    ),
    KeyClass(
        "every single byte",
        lambda *_: [bytes((byte,)) for byte in range(256)],
        lambda keys: len({key for key, _ in keys if len(key) == 1}) == 256,
    ),
    KeyClass("one begins another", _fixed(b"order", b"order-1", b"order-10", b"order-1000"), _begins_another),
    KeyClass(
        "same first 16 bytes",
        lambda s, _: [b"customer-events-%d" % number for number in (1, 2, s.integer(3, 99))],
        _repeats(lambda key: key[:16] if len(key) > 16 else None),
    ),
    KeyClass(
        "same last 16 bytes",
        lambda s, _: [b"%d-customer-events-eu" % number for number in (1, 2, s.integer(3, 99))],
        _repeats(lambda key: key[-16:] if len(key) > 16 else None),
    ),
    KeyClass("one bit in 12 bytes", _around(12), _differ_in_one(12)),
    KeyClass("one bit in 36 bytes", _around(36), _differ_in_one(36)),
    KeyClass("one bit in 1000 bytes", _around(1000), _differ_in_one(1000)),
    KeyClass("differ in case", _fixed(b"Order-7", b"order-7", b"ORDER-7"), _repeats(_text_of(str.lower))),
    KeyClass("differ in blanks", _fixed(b"a", b"a ", b" a", b"a\n"), _repeats(_text_of(str.strip))),
    KeyClass("differ in leading zeros", _fixed(b"7", b"07", b"007"), _repeats(_number_value)),
    KeyClass(
        "differ in zero bytes",
        _fixed(b"a", b"a\0", b"a\0\0", b"\0a", b"a\0b"),
        _repeats(lambda key: key.split(b"\0")[0] or None),
    ),
    KeyClass("only zero bytes", _fixed(bytes(1), bytes(2), bytes(40)), _matching(rb"\0{22,}\Z")),
    KeyClass("only 0xff", _fixed(b"\xff", b"\xff" * 3, b"\xff" * 40), _matching(rb"\xff{22,}\Z")),
    KeyClass(
        "same bytes in another order",
        _fixed(b"abcdefg", b"gfedcba", b"bacdefg"),
        _repeats(lambda key: bytes(sorted(key)) if len(key) > 1 else None),
    ),
    KeyClass(
        "equal once normalised",
        _fixed("é".encode(), "e\u0301".encode(), "\u00c5".encode(), "\u212b".encode()),
        _repeats(_text_of(lambda text: normalize("NFC", text))),
    ),
    KeyClass("same hash in Java", _fixed(b"Aa", b"BB", b"AaAa", b"BBBB"), _repeats(java_hash)),
)


# Hashes


def _hashed(
    id_: str, wanted: Callable[[Source, int], Iterable[int]], seen: Callable[[int, int], bool]
) -> KeyClass:
    """Keys of 4 and of 12 bytes with these hashes."""

    def make(source: Source, count: int) -> list[bytes]:
        return [
            key_with_hash(value, head)
            for value in wanted(source, count)
            for head in (b"", random_bytes(source, 8))
        ]

    def shown(keys: Sequence[CountedKey]) -> bool:
        return any(seen(unsigned_murmur2(key), count) for key, count in keys if len(key) <= _HASHED_MAX)

    return KeyClass(id_, make, shown)


_HASHED_MAX: Final = 64
"""Longer keys are not hashed to recognise a class."""
_SIGN: Final = 1 << 31


def _exactly(words: str, *values: int) -> KeyClass:
    known = _hashed(words, lambda *_: values, lambda *_: False)

    def seen(keys: Sequence[CountedKey]) -> bool:
        return {unsigned_murmur2(key) for key, _ in keys if len(key) <= _HASHED_MAX}.issuperset(values)

    return known._replace(seen=seen)


def _short_hash(key: bytes) -> object:
    return unsigned_murmur2(key) if len(key) <= _HASHED_MAX else None


KEY_HASHES: Final = (
    _exactly("0x80000000 and next to it", _SIGN, _SIGN - 1, _SIGN + 1),
    _exactly("-1 to 1", 0, 1, (1 << 32) - 1),
    _hashed(
        "negative", lambda s, _: [_SIGN + s.integer(0, _SIGN - 1) for _ in range(4)], lambda h, _: h >= _SIGN
    ),
    _hashed("positive", lambda s, _: [s.integer(0, _SIGN - 1) for _ in range(4)], lambda h, _: h < _SIGN),
    _hashed(
        "to the first partition",
        lambda s, count: [count * s.integer(1, _SIGN // count - 2) + sign for sign in (0, _SIGN)],
        lambda h, count: h % _SIGN % count == 0,
    ),
    _hashed(
        "to the last partition",
        lambda s, count: [count * s.integer(1, _SIGN // count - 2) + count - 1 + sign for sign in (0, _SIGN)],
        lambda h, count: h % _SIGN % count == count - 1,
    ),
    KeyClass(
        "same for two keys",
        lambda s, _: [key_with_hash(0x12345678, random_bytes(s, size)) for size in (0, 4, 4, 8)],
        _repeats(_short_hash),
    ),
)

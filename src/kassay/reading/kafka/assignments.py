"""Assignments as `kafka-consumer-groups --members --verbose` prints them, in its three dialects.

`orders(0,1), refunds(2)` until 3.7; `(0,1), (2)` in 3.8 and 3.9, which omit the names of the topics;
`orders:0,1;refunds:2` since 4.0. Source: `ConsumerGroupCommand.printMembers`, branches 2.8, 3.9 and 4.4.
"""

from __future__ import annotations

import re
from typing import Final

from kassay.model.errors import InputError
from kassay.model.shape.codec import MOST
from kassay.reading.fields import difference

_LOST: Final = re.compile(r"\(\d+(?:,\d+)*\)(?:, \(\d+(?:,\d+)*\))*", re.ASCII)
_BLOCKS: Final = re.compile(r"([^\s(),]+)\((\d+(?:,\d+)*)\)", re.ASCII)
_NUMBER: Final = re.compile(r"\d{1,7}", re.ASCII)
NUMBER: Final = f"a number up to {MOST - 1}"

TPs = tuple[tuple[str, int], ...]


def partition_number(text: str, field: str) -> int:
    """A partition's number; raises `InputError`, which names the field."""
    if not _NUMBER.fullmatch(text) or int(text) >= MOST:
        raise InputError(f"{field}: {difference(text, NUMBER)}")
    return int(text)


def with_brackets(text: str, field: str) -> TPs | None:
    """The partitions of `orders(0), refunds(1,3)`; None where the names of the topics are omitted.

    Raises `InputError`, which names the field.
    """
    if _LOST.fullmatch(text):
        return None
    if _BLOCKS.sub("", text).strip(" ,"):
        raise InputError(f"{field}: {difference(text, 'topic(0), topic(1)')}")
    blocks = _BLOCKS.findall(text)
    return tuple((topic, partition_number(p, field)) for topic, ps in blocks for p in ps.split(","))


def with_colons(text: str, field: str) -> TPs:
    """The partitions of `orders:0,2;refunds:1`; raises `InputError`, which names the field."""
    partitions: list[tuple[str, int]] = []
    for part in filter(None, text.split(";")):
        topic, colon, numbers = part.rpartition(":")
        if not colon or not topic:
            raise InputError(f"{field}: {difference(text, 'topic:0,1;other:2')}")
        partitions += [(topic, partition_number(n, field)) for n in numbers.split(",")]
    return tuple(partitions)

"""A small family with everything that a shape can say: names, references, parts, tables, bytes, events."""

import base64
import binascii
from enum import Enum
from typing import NamedTuple

from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.shape.codec import (
    COUNT,
    FLAG,
    PARTITIONS,
    TEXT,
    WHOLE,
    Field,
    Shape,
    count_of,
    enum,
    identity,
    listed,
    mapped,
    optional,
    record,
    reference,
    tagged,
    whole,
    wrong,
)
from kassay.model.shape.nodes import LeafKind, LeafNode


def _bytes_of(value, path):
    try:
        return base64.b64decode(TEXT.read(value, path), validate=True)
    except binascii.Error:
        raise wrong(path, "base64", value) from None


BYTES = Shape(
    _bytes_of, lambda data: base64.b64encode(data).decode("ascii"), LeafNode(LeafKind.BYTES, plain="")
)
NAME = identity("topic", TEXT)
TOPIC = reference("topic", TEXT)
NODE = reference("node", WHOLE)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"
    GREEN = "green"


class Shelf(NamedTuple):
    name: str
    parts: int
    nodes: tuple[int, ...] | None
    labels: dict[str, str]


class Reader(NamedTuple):
    reads: tuple[str, ...]
    owned: tuple[TopicPartition, ...]
    age: int
    colour: Colour
    first: bool
    key: bytes | None
    favourite: str | None


class Close(NamedTuple):
    topic: str


class Wait(NamedTuple):
    ms: int


class Library(NamedTuple):
    shelves: tuple[Shelf, ...]
    readers: tuple[Reader, ...]
    days: tuple[tuple[Close | Wait, ...], ...]


def _library(shelves, readers, days):
    """The library; raises `InputError` for a name that stands twice, and for what is not there."""
    counts = {shelf.name: shelf.parts for shelf in shelves}
    if len(counts) < len(shelves):
        raise InputError("two shelves of one name")
    named = [name for reader in readers for name in (*reader.reads, *filter(None, (reader.favourite,)))]
    named += [event.topic for events in days for event in events if isinstance(event, Close)]
    if not counts.keys() >= set(named):
        raise InputError("no such shelf")
    if any(not 0 <= tp.partition < counts.get(tp.topic, 0) for reader in readers for tp in reader.owned):
        raise InputError("no such part")
    return Library(shelves, readers, days)


LIBRARY = record(
    _library,
    shelves=listed(
        record(
            Shelf,
            name=NAME,
            parts=Field(count_of("topic", COUNT)),
            nodes=Field(optional(listed(NODE)), None),
            labels=Field(mapped(TEXT), {}),
        )
    ),
    readers=listed(
        record(
            Reader,
            reads=Field(listed(TOPIC), ()),
            owned=Field(PARTITIONS, ()),
            age=Field(whole(-1, 9), 0),
            colour=Field(enum(Colour), Colour.RED),
            first=Field(FLAG, False),
            key=Field(optional(BYTES), None),
            favourite=Field(optional(TOPIC), None),
        )
    ),
    days=Field(
        listed(
            listed(
                tagged(
                    "event",
                    {"Close": (Close, record(Close, topic=TOPIC)), "Wait": (Wait, record(Wait, ms=COUNT))},
                )
            )
        ),
        (),
    ),
)
"""Shelves that have names and parts, readers that refer to them, and what happens day by day."""

_NAMES = st.sampled_from(["t0", "t1", "t10", "t2", "a", "été", ""])


@st.composite
def libraries(draw):
    """Any library."""
    names = draw(st.lists(_NAMES, max_size=4, unique=True))
    shelves = tuple(
        Shelf(
            name,
            draw(st.integers(0, 4)),
            draw(st.none() | st.lists(st.integers(-2, 9), max_size=3).map(tuple)),
            draw(st.dictionaries(st.text(max_size=3), st.text(max_size=4), max_size=2)),
        )
        for name in names
    )
    parts = [TopicPartition(shelf.name, part) for shelf in shelves for part in range(shelf.parts)]
    known = st.sampled_from(names)
    readers = st.builds(
        Reader,
        reads=st.lists(known, max_size=3).map(tuple) if names else st.just(()),
        owned=st.lists(st.sampled_from(parts), max_size=3).map(tuple) if parts else st.just(()),
        age=st.integers(-1, 9),
        colour=st.sampled_from(Colour),
        first=st.booleans(),
        key=st.none() | st.binary(max_size=5),
        favourite=st.none() | known if names else st.none(),
    )
    waits = st.builds(Wait, st.integers(0, 10**400))
    events = waits | st.builds(Close, known) if names else waits
    days = st.lists(st.lists(events, max_size=3).map(tuple), max_size=3).map(tuple)
    return Library(shelves, tuple(draw(st.lists(readers, max_size=3))), draw(days))

"""Smaller documents for a shrinker, derived from the shape, the boldest cuts first.

A cut removes runs of a list's items, an optional value, or part of a number or a text. References to a
removed thing are removed too. The caller skips documents that the shape does not read.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from itertools import chain
from math import inf
from typing import Any, Final

from kassay.model.shape.names import canonical, counted_parts, named_in, plainer, without_names, without_parts
from kassay.model.shape.nodes import (
    LeafKind,
    LeafNode,
    ManyNode,
    MaybeNode,
    Node,
    NodePlace,
    PartNode,
    Path,
    RecordNode,
    TableNode,
    VariantNode,
    defining,
    inside,
    places,
    put,
)

SINGLES_MAX: Final = 16
"""A long list has this many of its last items each removed alone; one up to four times as long has all."""
FEW_BYTES: Final = 32
"""Longer bytes lose a quarter, an eighth and so on before they lose a single one."""
FAR: Final = 1024
"""A bounded number that far from the plainest one also comes nearer by a quarter, an eighth and so on."""
SHORT_BYTES: Final = 16
"""Single bytes tried to replace longer bytes: a hash alone may decide which byte fails."""


def cuts(node: Node, document: Any) -> Iterator[Any]:
    """Documents with one thing less, the boldest cuts first: items, values, then plain names."""
    every = list(places(node, document))
    for place in every:
        if isinstance(inside(place.node, place.value), ManyNode):
            yield from _fewer_items(node, document, place)
    for place in every:
        yield from _fewer_parts(node, document, place)
    for place in every:
        for value in _simpler(place):
            yield put(document, place.path, value)
    yield from _together(document, every)
    size = size_of(node, document)
    named = chain(canonical(node, document), plainer(node, document))
    yield from (less for less in named if size_of(node, less) <= size)


def _fewer_items(node: Node, document: Any, place: NodePlace) -> Iterator[Any]:
    """Documents with fewer items: runs removed, halves first; then neighbouring lists joined."""
    items, many = place.value, inside(place.node, place.value)
    assert isinstance(many, ManyNode)
    width = len(items)
    while width:
        starts = range(0, len(items), width)
        for start in starts if width > 1 or len(items) <= SINGLES_MAX * 4 else starts[-SINGLES_MAX:]:
            if len(items) - len(items[start : start + width]) >= many.least:
                yield without_items(node, document, place, start, width)
        width //= 2
    for number in range(1, len(items)):
        both = _joined(many.item, items[number - 1], items[number])
        if both is not None:
            yield put(document, place.path, [*items[: number - 1], both, *items[number + 1 :]])


def _joined(node: Node, one: Any, other: Any) -> Any | None:
    """Two neighbours joined: lists concatenated (a list of names names each once); for records the second
    one with the events of both.
    """
    if isinstance(node, ManyNode):
        if isinstance(node.item, LeafNode) and node.item.space:
            return [*one, *(name for name in other if name not in one)]
        return one + other
    if isinstance(node, RecordNode):
        events = [
            field.name
            for field in node.fields
            if isinstance(field.node, ManyNode) and isinstance(field.node.item, VariantNode)
        ]
        if events:
            return {**other, **{name: one.get(name, []) + other.get(name, []) for name in events}}
    return None


def without_items(node: Node, document: Any, place: NodePlace, start: int, width: int = 1) -> Any:
    """The document without these items of the list, and without references to names that only they define."""
    items = place.value
    gone = put(document, place.path, [*items[:start], *items[start + width :]])
    held = inside(place.node, items)
    if isinstance(held, ManyNode) and not defining(held.item):
        return gone
    before, after = named_in(node, document), named_in(node, gone)
    for space, names in before.items():
        lost = names - after.get(space, frozenset())
        if lost:
            gone = without_names(node, gone, space, lost)
    return gone


def _fewer_parts(node: Node, document: Any, place: NodePlace) -> Iterator[Any]:
    """Documents with fewer parts of a thing, and without references to the removed parts."""
    leaf = place.node
    if not isinstance(leaf, LeafNode) or not leaf.counts:
        return
    for fewer in smaller_numbers(place.value, leaf):
        less = put(document, place.path, fewer)
        yield without_parts(node, less, leaf.counts, counted_parts(node, less, leaf.counts))


def _simpler(place: NodePlace) -> Iterator[Any]:
    """Documents with a simpler value in the same place."""
    node, value = place.node, place.value
    if isinstance(node, MaybeNode) and value is not None:
        yield None
        node = node.inner
    if isinstance(node, TableNode) and value:
        yield {}
        for name in value:
            yield {key: each for key, each in value.items() if key != name}
    if isinstance(node, LeafNode) and not node.space and not node.counts:
        yield from simpler_leaf(node, value)


def simpler_leaf(leaf: LeafNode, value: Any) -> Iterator[Any]:
    """Values that replace a plain one, the plainest first."""
    if leaf.choices:
        yield from (choice for choice in leaf.choices[: _turn(leaf.choices, value)])
    elif leaf.kind is LeafKind.WHOLE:
        yield from smaller_numbers(value, leaf)
    elif leaf.kind is LeafKind.TEXT and value:
        yield from dict.fromkeys(("", value[: len(value) // 2], value[1:]))
    elif leaf.kind is LeafKind.BYTES and value:
        for data in smaller_bytes(base64.b64decode(value)):
            yield base64.b64encode(data).decode("ascii")


def _turn(choices: tuple[Any, ...], value: Any) -> int:
    return choices.index(value) if value in choices else len(choices)


def smaller_numbers(value: int, leaf: LeafNode) -> list[int]:
    """Numbers nearer to the plainest one: the plainest itself, half the way, and one step.

    Between the last two a number with bounds, such as a size, goes shorter ways where it is far away.
    """
    plain = leaf.plain if leaf.plain is not None else 0
    away = value - plain
    if not away:
        return []
    step = 1 if away > 0 else -1
    parts = range(2, abs(away).bit_length()) if abs(away) >= FAR and leaf.most < inf else ()
    between = (value - step * (abs(away) >> part) for part in parts)
    near = (plain, plain + step * (abs(away) // 2), *between, value - step)
    return [each for each in dict.fromkeys(near) if each != value and leaf.least <= each <= leaf.most]


def smaller_bytes(data: bytes) -> Iterator[bytes]:
    """Fewer bytes, then smaller ones."""
    if not data:
        return
    yield b""
    if len(data) > 1:
        yield data[: len(data) // 2]
        for part in range(2, len(data).bit_length()) if len(data) > FEW_BYTES else ():
            yield data[: -(len(data) >> part)]
        yield data[1:]
    for short in range(SHORT_BYTES if len(data) > 1 else min(SHORT_BYTES, data[0])):
        yield bytes((short,))
    if any(data):
        yield bytes(len(data))
        yield bytes(byte // 2 for byte in data)


def _together(document: Any, every: Iterable[NodePlace]) -> Iterator[Any]:
    """Documents with the number in the same field of several items reduced in all of them at once.

    Numbers that are names are not reduced: they would refer to nothing.
    """
    groups: dict[tuple[Path, Any], list[NodePlace]] = {}
    for place in every:
        leaf = place.node
        if not isinstance(leaf, LeafNode) or leaf.kind is not LeafKind.WHOLE or leaf.space:
            continue
        if "*" in place.pattern:
            groups.setdefault((place.pattern, place.value), []).append(place)
    for (_, value), same in groups.items():
        leaf = same[0].node
        assert isinstance(leaf, LeafNode)
        for smaller in smaller_numbers(value, leaf) if len(same) > 1 else ():
            less = document
            for place in same:
                less = put(less, place.path, smaller)
            yield less


def size_of(node: Node, document: Any) -> tuple[int, ...]:
    """The size of a document: its items, numbers, bytes and letters, and how plain its names are."""
    items, numbers, letters, names = 0, 0, 0, 0
    for place in places(node, document):
        held = inside(place.node, place.value)
        if isinstance(held, ManyNode | TableNode):
            items += len(place.value)
        elif isinstance(held, PartNode):
            numbers += held.split(place.value)[1]
        elif isinstance(held, LeafNode) and place.value is not None:
            if held.space:
                names += name_rank(place.value)
            elif held.choices:
                numbers += _turn(held.choices, place.value)
            elif held.kind is LeafKind.WHOLE:
                numbers += abs(place.value - (held.plain or 0))
            elif held.kind is LeafKind.BYTES:
                data = base64.b64decode(place.value)
                letters += (len(data) << 8) + sum(data)
            elif held.kind is LeafKind.TEXT:
                letters += len(place.value)
        if isinstance(place.node, MaybeNode) and place.value is not None:
            items += 1
    return items, numbers, letters, names


def name_rank(name: Any) -> int:
    """The rank of a name by plainness: its number; a name without one comes last."""
    if isinstance(name, int):
        return abs(name)
    return int(name[1:]) if name[1:].isdecimal() and len(name) < 6 else 1000 + len(name)

"""The values of a document, many that are likely alike at once: a look at each in Python takes far longer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

INNER: Final = frozenset({dict, list, tuple})
_FEW: Final = 4
_RECORD: Final = 16
"""Objects of no more fields are looked at field by field, for what stands in one field is alike."""
_SHARED: Final = 4_096
"""Of no more objects and lists than these, those that stand at several places are looked at once."""


class Siblings(NamedTuple):
    """Values and their types; `depth` objects and lists are around them, `objects` those that are dicts."""

    depth: int
    values: Collection[Any]
    kinds: frozenset[type]
    objects: Sequence[dict[Any, Any]]


def siblings(document: Any) -> Iterator[Siblings]:
    """All values of a document, each before what is in it; endless where a long list is in itself."""
    seen: set[int] = set()
    todo: list[tuple[int, Collection[Any]]] = [(0, (document,))]
    while todo:
        depth, values = todo.pop()
        kinds = frozenset(map(type, values))
        inner = kinds & INNER
        if not inner:
            yield Siblings(depth, values, kinds, ())
            continue
        holders = values if kinds <= INNER else [value for value in values if type(value) in INNER]
        if len(holders) <= _SHARED:
            alone = {id(value): value for value in holders if id(value) not in seen}
            seen |= alone.keys()
            holders = [*alone.values()]
        objects: Sequence[dict[Any, Any]] = ()
        if dict in inner:
            objects = [value for value in holders if type(value) is dict]
            holders = [value for value in holders if type(value) is not dict] if len(inner) > 1 else ()
        yield Siblings(depth, values, kinds, objects)
        todo += [(depth + 1, column) for column in _columns(objects)]
        todo += [(depth + 1, entries) for entries in _entries(holders)]


def _entries(lists: Collection[Sequence[Any]]) -> Iterator[Collection[Any]]:
    """What stands in the lists: of a few in each, of many in all of them."""
    if len(lists) <= _FEW:
        yield from lists
    else:
        yield [*chain.from_iterable(lists)]


def _columns(objects: Sequence[dict[Any, Any]]) -> Iterator[Collection[Any]]:
    """What stands in the objects: of many in each of their fields where these are the same, else in all."""
    if len(objects) <= _FEW:
        yield from [each.values() for each in objects]
    elif len(objects[0]) <= _RECORD and all(each.keys() == objects[0].keys() for each in objects):
        for name in objects[0]:
            yield [each[name] for each in objects]
    else:
        yield [*chain.from_iterable([each.values() for each in objects])]

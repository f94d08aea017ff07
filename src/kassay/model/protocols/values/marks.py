"""Types of numbers and names that are interchangeable in a state, and the one traversal that rewrites them.

Generations and epochs matter only by order and equality, ids only by identity. A field's type says which
of these it holds, at any depth; `rewritten` follows the types of a value's fields. `facts_of` collects
what of a value can be renumbered: two states are symmetric where they differ in numbering alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import groupby
from operator import is_
from types import UnionType
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar, Union, get_args, get_origin
from typing import get_type_hints as hints_of

from kassay.model.explore.states import Interned

T = TypeVar("T")


class Mark(StrEnum):
    """The meaning of a part of a value."""

    GENERATION = "generation or epoch"
    MEMBER_ID = "member id"
    CLIENT_ID = "client id"
    REQUEST = "correlation id"
    CELL = "interned value"


class Order(NamedTuple):
    """The sort key of a tuple, which is sorted again after ids in it change; None for the items themselves.

    A tuple that was in another order keeps it. With a `run`, only the items within each run of neighbours are
    sorted.
    """

    key: Callable[[Any], Any] | None = None
    run: Callable[[Any], Any] | None = None

    def again(self, before: Sequence[Any], after: Sequence[Any]) -> tuple[Any, ...]:
        """The items sorted again as they were before their ids changed."""
        if self.run is None:
            return self._sorted_as(before, after)
        items: list[Any] = []
        for _, neighbours in groupby(before, self.run):
            run = [*neighbours]
            items += self._sorted_as(run, after[len(items) : len(items) + len(run)])
        return tuple(items)

    def _sorted_as(self, before: Sequence[Any], after: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(sorted(after, key=self.key) if [*before] == sorted(before, key=self.key) else after)


Generation: TypeAlias = Annotated[int, Mark.GENERATION]
MemberId: TypeAlias = Annotated[str, Mark.MEMBER_ID]
ClientId: TypeAlias = Annotated[str, Mark.CLIENT_ID]
RequestId: TypeAlias = Annotated[int, Mark.REQUEST]
"""Identifies a request, so that its reply, which may be parked for long, can be matched."""

Ordered: TypeAlias = Annotated[tuple[T, ...], Order()]
"""Items in their natural order, which begins with an id."""

Change: TypeAlias = Callable[[Mark, Any], Any]
"""The new value of a part with a mark."""

Rewrite: TypeAlias = Callable[[Any, Change], Any]

CLASSES: Final = (Interned, Any, object)
"""Types that do not describe their contents: the value's own class does."""


def rewritten(value: Any, change: Change) -> Any:
    """The value with all its marked parts changed; the same object if it has none."""
    kind: Any = type(value)
    rewrite = _of_class(kind)
    return value if rewrite is None else rewrite(value, change)


def marked(value: Any) -> defaultdict[Mark, set[Any]]:
    """All marked parts of a value, by mark."""
    parts: defaultdict[Mark, set[Any]] = defaultdict(set)

    def note(mark: Mark, part: Any) -> Any:
        parts[mark].add(part)
        return part

    rewritten(value, note)
    return parts


@cache
def _of_class(kind: Any) -> Rewrite | None:
    """The rewrite of values of a class, None if they contain nothing with a mark."""
    if kind is Interned:
        return lambda cell, change: change(Mark.CELL, cell)
    if not issubclass(kind, tuple) or not hasattr(kind, "_fields"):
        return None
    hints = hints_of(kind, include_extras=True)
    places = [(place, _of_type(hints[field])) for place, field in enumerate(kind._fields)]
    return _of_places(kind._make, [(place, rewrite) for place, rewrite in places if rewrite is not None])


def _of_places(make: Callable[[Any], Any], places: list[tuple[int, Rewrite]]) -> Rewrite | None:
    """The rewrite of a tuple in which only some positions contain anything marked."""

    def rewrite_places(value: Any, change: Change) -> Any:
        items: list[Any] | None = None
        for place, rewrite in places:
            before = value[place]
            after = rewrite(before, change)
            if after is not before:
                items = items or list(value)
                items[place] = after
        return value if items is None else make(items)

    return rewrite_places if places else None


@cache
def _of_type(hint: Any) -> Rewrite | None:
    """The rewrite of values of a type."""
    if hint in CLASSES:
        return rewritten
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _of_annotated(*arguments)
    if origin in (Union, UnionType):
        kinds = {_class(choice): rewrite for choice in arguments if (rewrite := _of_type(choice)) is not None}

        def rewrite_choice(value: Any, change: Change) -> Any:
            rewrite = kinds.get(type(value))
            return value if rewrite is None else rewrite(value, change)

        return rewrite_choice if kinds else None
    if origin is tuple and len(arguments) == 2 and arguments[1] is ...:
        return _of_items(_of_type(arguments[0]), None)
    if origin is tuple:
        places = [(place, _of_type(argument)) for place, argument in enumerate(arguments)]
        return _of_places(tuple, [(place, rewrite) for place, rewrite in places if rewrite is not None])
    return _of_class(hint) if isinstance(hint, type) else None


def _of_annotated(kind: Any, mark: Any) -> Rewrite | None:
    if isinstance(mark, Order):
        return _of_items(_of_type(get_args(kind)[0]), mark)
    return lambda value, change: change(mark, value)


def _of_items(rewrite: Rewrite | None, order: Order | None) -> Rewrite | None:
    """The rewrite of a tuple of items of one type, sorted again afterwards."""
    if rewrite is None:
        return None

    def rewrite_items(value: Any, change: Change) -> Any:
        if not value:
            return value
        after = [rewrite(item, change) for item in value]
        if all(map(is_, after, value)):
            return value
        return tuple(after) if order is None else order.again(value, after)

    return rewrite_items


def _class(hint: Any) -> Any:
    """The class of the values that a type describes."""
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return get_origin(hint) or hint


_ID: Final = re.compile(r"^[A-Za-z]\w*-[1-9]$")


class Facts(NamedTuple):
    """A value's lowest and highest generation (from 1); its member ids, and whether any is not numbered 1."""

    low: int
    names: frozenset[str]
    renumber: bool
    high: int = 0
    generations: frozenset[int] = frozenset()


NOTHING: Final = Facts(1 << 30, frozenset(), False)


@dataclass(frozen=True)
class Count:
    """A renumbering of generations: counted from `shift + 1`, and reduced by `less` from each `start` on."""

    shift: int = 0
    gaps: tuple[tuple[int, int], ...] = ()

    def __call__(self, number: int) -> int:
        """The generation's new number; 0 up to the shift, and unchanged below 1."""
        if number <= self.shift:
            return 0 if number >= 1 else number
        return number - self.shift - sum(less for start, less in self.gaps if number >= start)


SAME: Final = Count()


def facts_of_cell(cell: Interned) -> Facts:
    """The facts for renaming about an interned value, cached in its note."""
    facts: Facts | None = cell.note
    if facts is None:
        facts = cell.note = facts_of(cell.value)
    return facts


def facts_of(value: Any) -> Facts:
    """The facts for renaming about a value."""
    parts = marked(value)
    numbers, names = parts[Mark.GENERATION], parts[Mark.MEMBER_ID]
    for cell in parts[Mark.CELL]:
        inner = facts_of_cell(cell)
        numbers |= inner.generations
        names |= inner.names
    generations = frozenset([number for number in numbers if number >= 1])
    ids = frozenset([name for name in names if _is_numbered(name)])
    if not generations and not ids:
        return NOTHING
    renumber = any(not name.endswith("-1") for name in ids)
    low, high = min(generations, default=NOTHING.low), max(generations, default=0)
    return Facts(low, ids, renumber, high, generations)


@cache
def _is_numbered(name: str) -> bool:
    return _ID.match(name) is not None

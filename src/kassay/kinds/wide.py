"""Wide cases: which classes a case of a run shows, how it is made, and which of them it really shows.

Every third case of a run is wide. Its turn decides the classes, so each comes up after a known number of
cases: the names of some spaces are of one class each, one size is large or all are middling, and one number
is at the end of its range. Everything else of the case is as the generator of the kind makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from kassay.model.errors import InputError
from kassay.model.shape.legal import ANY_TEXT, NameRange
from kassay.model.shape.names import leaf_of, mentioned, renamed
from kassay.model.shape.nodes import (
    LeafKind,
    LeafNode,
    ManyNode,
    MaybeNode,
    Node,
    PartNode,
    RecordNode,
    RowNode,
    TableNode,
    VariantNode,
)
from kassay.properties.profile import related
from kassay.properties.sources import Seeded, derive_seed
from kassay.properties.wide.names import NameClass, classes_for
from kassay.properties.wide.ranges import PLAIN_NAMES, PLAIN_NUMBERS, SMALL_SIZES, Size, WideRange

if TYPE_CHECKING:
    from kassay.kinds.protocol import Driver

Classes: TypeAlias = tuple[tuple[str, str], ...]
"""Dimensions, such as `topic names`, each with a class, such as `dash`."""

EVERY: Final = 3
"""Every so many cases one is wide."""
SIZED_EVERY: Final = 2
"""Every so many wide cases one has a wide size."""
LARGE_FROM: Final = 130
BETWEEN_FROM: Final = 13
LARGE_CYCLES: Final = 4
"""Sizes above 130 come in every fourth cycle only: they take most of the time of wide cases.

In the other cycles, any number from 13 to 130 takes their place.
"""
SHARED_EVERY: Final = 7
"""Every so many wide cases all spaces have names of the same class, so that names of two spaces are equal."""
IN_TURN: Final = 150
"""So many wide cases take the classes in turn, so that each comes; later ones combine them by chance."""
APART_EVERY: Final = 4
"""Every so many cases without a wide size one has a number that stands apart."""
MORE_NUMBERS: Final = 2
"""How many more numbers are at their ends in a case that combines them by chance."""
ATTEMPTS: Final = 5
"""How often a case is generated until it can show the classes of its turn."""


@dataclass(frozen=True)
class NameSpace:
    """The names of one space of a kind's cases, such as topics, and the classes that are legal there."""

    id: str
    legal: NameRange
    classes: tuple[NameClass, ...]


@dataclass(frozen=True)
class WidePlan:
    """The classes of one case: of names by space, sizes by id, and numbers."""

    names: Mapping[str, NameClass] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    numbers: tuple[tuple[WideRange, str], ...] = ()

    @property
    def dimensions(self) -> frozenset[str]:
        """The spaces of names, sizes and ranges that are wide, and which names relate to each other."""
        relating = (related(space) for space, known in self.names.items() if known.least > 1)
        return frozenset((*self.names, *relating, *self.sizes, *(number.id for number, _ in self.numbers)))


@dataclass(frozen=True)
class Widths:
    """Everything that can be wide in the cases of a driver under these assumptions."""

    driver: Driver[Any]
    assume: frozenset[str]

    @cached_property
    def spaces(self) -> tuple[NameSpace, ...]:
        """The spaces with names of text."""
        if PLAIN_NAMES in self.assume:
            return ()
        excluded = self.driver.unnamed(self.assume)
        return tuple(
            NameSpace(space, legal, classes_for(legal))
            for space, legal in text_spaces(self.driver.form.node).items()
            if space not in excluded
        )

    @cached_property
    def sizes(self) -> tuple[Size, ...]:
        """The things that can be many."""
        return () if SMALL_SIZES in self.assume else tuple(self._allowed(self.driver.countable))

    @cached_property
    def numbers(self) -> tuple[WideRange, ...]:
        """The numbers with wide ranges."""
        return () if PLAIN_NUMBERS in self.assume else tuple(self._allowed(self.driver.ranges))

    def _allowed(self, every: Iterable[Any]) -> Iterator[Any]:
        return (each for each in every if self.assume.isdisjoint(each.excluded_by))

    @cached_property
    def _sized(self) -> tuple[Mapping[str, int], ...]:
        """The sizes of the cases with a wide size, in the order in which they come."""
        small = [
            {
                size.id: size.small[(turn + place) % len(size.small)]
                for place, size in enumerate(self.sizes)
                if size.small
            }
            for turn in range(max((len(size.small) for size in self.sizes), default=0))
        ]
        large = [
            {size.id: size.large[turn]}
            for turn in range(max((len(size.large) for size in self.sizes), default=0))
            for size in self.sizes
            if turn < len(size.large)
        ]
        mixed = []
        while small or large:
            mixed += [few.pop(0) for few in (large, small, large) if few]
        return tuple(mixed)

    @cached_property
    def _numbered(self) -> tuple[tuple[WideRange, str], ...]:
        """The numbers that go with wide sizes in the order in which they come, each range in turn."""
        return _in_turn([each for each in self.numbers if not each.apart])

    @cached_property
    def _apart(self) -> tuple[tuple[WideRange, str], ...]:
        """The numbers that do not."""
        return _in_turn([each for each in self.numbers if each.apart])

    def plan(self, turn: int) -> WidePlan:
        """What is wide in the wide case of that number."""
        sizes: Mapping[str, int] = {}
        if self._sized and turn % SIZED_EVERY == 0:
            cycle, place = divmod(turn // SIZED_EVERY, len(self._sized))
            sizes = self._sized[place]
            if cycle % LARGE_CYCLES and max(sizes.values()) > LARGE_FROM:
                sizes = self._between(turn)
        numbers = self._numbers(turn)
        own = {space for number, _ in numbers for space in number.names}
        names = {space: known for space, known in self._names(turn).items() if space not in own}
        return WidePlan(names, sizes, numbers)

    def _between(self, turn: int) -> Mapping[str, int]:
        """One size, of any number between the small and the large ones; as often to 41 as from there on."""
        source = Seeded(derive_seed(turn, LARGE_CYCLES))
        size = source.choice(self.sizes)
        places = source.integer(0, 10**6) / 10**6
        count = round(BETWEEN_FROM * (LARGE_FROM / BETWEEN_FROM) ** places)
        return {size.id: count} if count <= size.most else {}

    def _numbers(self, turn: int) -> tuple[tuple[WideRange, str], ...]:
        """The number whose turn it is, and later some of other ranges with it where no size is wide."""
        if not self.numbers:
            return ()
        before, place = divmod(turn, APART_EVERY * SIZED_EVERY)
        if self._apart and place == APART_EVERY * SIZED_EVERY - 1:
            first = self._apart[before % len(self._apart)]
        else:
            common = turn - before if self._apart else turn
            first = self._numbered[common % len(self._numbered)]
        if turn < IN_TURN or turn % SIZED_EVERY == 0:
            return (first,)
        source = Seeded(derive_seed(turn, MORE_NUMBERS))
        others = [each for each in self.numbers if each is not first[0]]
        more = [others.pop(source.integer(0, len(others) - 1)) for _ in range(min(MORE_NUMBERS, len(others)))]
        return (first, *((each, source.choice(each.classes)) for each in more))

    def _names(self, turn: int) -> dict[str, NameClass]:
        """The class of each space that is wide: all spaces until each class was there, then about half.

        After that the classes of different spaces meet by chance.
        """
        chosen = {}
        if turn >= IN_TURN and turn % SHARED_EVERY:
            source = Seeded(derive_seed(turn, IN_TURN))
            every = [(space.id, source.choice(space.classes), source.boolean(0.75)) for space in self.spaces]
            return {space: known for space, known, is_wide in every if is_wide}
        # A case with a wide size may lack a space, such as racks: cases without one take each class too.
        half, is_plain = divmod(turn, SIZED_EVERY)
        for place, space in enumerate(self.spaces):
            size = len(space.classes)
            if half > size and turn % SHARED_EVERY == 0:
                chosen[space.id] = space.classes[turn // SHARED_EVERY % size]
            elif half <= size or (turn + place + half // size) % 2 == 0 or len(self.spaces) == 1:
                chosen[space.id] = space.classes[(half + 7 * place + (0 if is_plain else size // 2)) % size]
        return chosen

    @cached_property
    def anything(self) -> bool:
        """Whether anything can be wide."""
        return bool(self.spaces or self.sizes or self.numbers)

    def expected(self) -> dict[str, tuple[str, ...]]:
        """Every class that a run has to cover, by dimension."""
        return {
            **{f"{space.id} names": tuple(known.id for known in space.classes) for space in self.spaces},
            **{size.id: tuple(map(str, sorted((*size.small, *size.large)))) for size in self.sizes},
            **{each.id: each.classes for each in self.numbers},
        }


def _in_turn(ranges: list[WideRange]) -> tuple[tuple[WideRange, str], ...]:
    """The classes of the ranges, the first of each, then the second of each, and so on."""
    longest = max((len(each.classes) for each in ranges), default=0)
    return tuple(
        (each, each.classes[turn]) for turn in range(longest) for each in ranges if turn < len(each.classes)
    )


class Listed(NamedTuple):
    """One dimension of a kind's input, for a table: its classes, and the legal range with its source."""

    id: str
    classes: tuple[str, ...]
    legal: str
    excluded_by: tuple[str, ...]


def dimensions(driver: Driver[Any]) -> tuple[Listed, ...]:
    """Every dimension of the kind's wide input."""
    widths = Widths(driver, frozenset())
    expected = widths.expected()
    spaces = [
        Listed(
            f"{space.id} names",
            tuple(known.id for known in space.classes),
            f"{space.legal.words}, to {space.legal.longest} characters ({space.legal.source})",
            (PLAIN_NAMES,),
        )
        for space in widths.spaces
    ]
    sizes = [
        Listed(
            size.id, expected[size.id], f"to {size.most} {size.why}".strip(), (SMALL_SIZES, *size.excluded_by)
        )
        for size in widths.sizes
    ]
    numbers = [
        Listed(each.id, each.classes, each.source, (PLAIN_NUMBERS, *sorted(each.excluded_by)))
        for each in widths.numbers
    ]
    return (*spaces, *sizes, *numbers)


def text_spaces(node: Node) -> dict[str, NameRange]:
    """The spaces of names that are text, with their legal names."""
    spaces = dict.fromkeys(_spaces(node))
    leaves = {space: leaf_of(node, space) for space in spaces}
    return {
        space: leaf.legal or ANY_TEXT
        for space, leaf in leaves.items()
        if leaf is not None and leaf.kind is LeafKind.TEXT
    }


def _spaces(node: Node) -> Iterator[str]:
    match node:
        case LeafNode(space=space) | PartNode(space):
            if space:
                yield space
        case MaybeNode(inner) | ManyNode(inner):
            yield from _spaces(inner)
        case TableNode(inner, space):
            if space:
                yield space
            yield from _spaces(inner)
        case RowNode(items):
            for item in items:
                yield from _spaces(item)
        case RecordNode(fields):
            for each in fields:
                yield from _spaces(each.node)
        case VariantNode(_, variants):
            for variant in variants.values():
                yield from _spaces(variant)


def wide_case(
    widths: Widths, turn: int, seed: int, generate: Callable[[Seeded, WidePlan, int], Any]
) -> tuple[Any, Classes]:
    """The wide case of that turn, and the classes that it shows.

    `generate` makes a case to start from; it is called again while the case lacks what the plan needs, such
    as two topics for names of which one begins the other.
    """
    plan = widths.plan(turn)
    shown: Classes = ()
    best: Any = None
    planned = len(plan.names) + len(plan.sizes) + len(plan.numbers)
    # A case with a wide size takes long to make, and lacks nothing that another one would have.
    for attempt in range(1 if plan.sizes else ATTEMPTS):
        source = Seeded(derive_seed(seed, attempt))
        case = generate(source, plan, attempt)
        case, seen = widened(widths.driver, plan, case, source)
        if best is None or len(seen) > len(shown):
            best, shown = case, seen
        if len(shown) == planned:
            break
    return best, shown


def widened(driver: Driver[Any], plan: WidePlan, case: Any, source: Seeded) -> tuple[Any, Classes]:
    """The case with the plan's numbers and names, and what of the plan it shows."""
    shown = [
        (size.id, str(plan.sizes[size.id]))
        for size in driver.countable
        if plan.sizes.get(size.id) in (*size.small, *size.large) and size.count(case) == plan.sizes[size.id]
    ]
    for number, wanted in plan.numbers:
        case = number.widen(case, wanted, source)
    case, named = _named(driver, plan, case, source)
    shown += [(number.id, wanted) for number, wanted in plan.numbers if number.seen(case, wanted)]
    return case, (*shown, *named)


def _named(driver: Driver[Any], plan: WidePlan, case: Any, source: Seeded) -> tuple[Any, Classes]:
    """The case with the plan's names, and which of their classes it shows."""
    if not plan.names:
        return case, ()
    document = driver.form.write(case)
    every = mentioned(driver.form.node, document)
    names = {
        space: dict(zip(every[space], known.make(len(every[space]), source)))
        for space, known in plan.names.items()
        if every.get(space)
    }
    try:
        case = driver.form.read(renamed(driver.form.node, document, names), "case")
    except InputError:
        return case, ()
    return case, tuple(
        (f"{space} names", plan.names[space].id)
        for space, own in names.items()
        if plan.names[space].seen(tuple(own.values()))
    )

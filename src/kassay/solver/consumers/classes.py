"""Equal partitions counted together, so that a network has arcs for classes, not for partitions.

A *unit* is what goes to one owner as a whole: a partition, or the partitions of one number of co-partitioned
topics. Two units are of one class when they have the same possible and previous owners, the same cost of
leaving each, and replicas in the same racks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

from kassay.model.lazy import lazy
from kassay.solver.check.balance import Topic
from kassay.solver.consumers.problem import NOBODY, Problem


class UnitClass(NamedTuple):
    """A class of equal units.

    `readers` is a position in `Aggregate.sets`. `kept` has for each previous owner the cost of moving its
    partitions of such a unit, `claimed` is their sum. `racks` are the known replica racks of its partitions.
    """

    readers: int
    kept: tuple[tuple[int, int], ...]
    claimed: int
    racks: tuple[frozenset[str], ...]
    units: tuple[int, ...]


@dataclass(frozen=True)
class Aggregate:
    """A problem's units by their possible owners, numbered through.

    `counts` has the units of each set of readers, `bundles` what they belong to, each with the number of its
    first unit.
    """

    sets: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]
    bundles: tuple[tuple[tuple[int, tuple[Topic, ...]], ...], ...]
    previous: Mapping[str, tuple[int, ...]]
    units: int

    @lazy
    def classes(self) -> tuple[UnitClass, ...]:
        """The units by class, in an order that depends on names alone."""
        classes: list[UnitClass] = []
        for number, bundles in enumerate(self.bundles):
            equal = defaultdict[_Likeness, list[int]](list)
            for first, bundle in bundles:
                _sort_in(bundle, self.previous, first, equal)
            classes += [UnitClass(number, *_history(*like), tuple(units)) for like, units in equal.items()]
        return tuple(classes)


def aggregate(problem: Problem) -> Aggregate:
    """The problem's units by class, in an order that depends on names alone."""
    first = 0
    by_readers: dict[tuple[int, ...], list[tuple[int, tuple[Topic, ...]]]] = {}
    subscribers = problem.subscribers
    for bundle in problem.bundles:
        by_readers.setdefault(subscribers[bundle[0].name], []).append((first, bundle))
        first += bundle[0].partitions
    return Aggregate(
        tuple(by_readers),
        tuple([sum([bundle[0].partitions for _, bundle in bundles]) for bundles in by_readers.values()]),
        tuple(map(tuple, by_readers.values())),
        problem.previous,
        first,
    )


_Likeness = tuple[tuple[int, ...], tuple[frozenset[str], ...], tuple[int, ...]]
_UNKNOWN: frozenset[str] = frozenset()


def _sort_in(
    bundle: tuple[Topic, ...],
    previous: Mapping[str, tuple[int, ...]],
    first: int,
    equal: defaultdict[_Likeness, list[int]],
) -> None:
    """Add the bundle's units to the units that have the same owners, racks and costs of their moves."""
    count = bundle[0].partitions
    owners = zip(*(previous[topic.name] for topic in bundle), strict=True)
    racks = zip(*(topic.racks or (_UNKNOWN,) * count for topic in bundle), strict=True)
    costs: Iterable[tuple[int, ...]] = repeat((), count)
    if any(topic.move_costs is not None for topic in bundle):
        costs = zip(*(topic.move_costs or (1,) * count for topic in bundle), strict=True)
    for unit, like in enumerate(zip(owners, racks, costs, strict=True), first):
        equal[like].append(unit)


def _history(
    owners: tuple[int, ...], racks: tuple[frozenset[str], ...], costs: tuple[int, ...]
) -> tuple[tuple[tuple[int, int], ...], int, tuple[frozenset[str], ...]]:
    if len(owners) == 1:
        cost = costs[0] if costs else 1
        kept = () if owners[0] == NOBODY else ((owners[0], cost),)
        return kept, cost if kept else 0, racks if racks[0] else ()
    had = Counter[int]()
    for owner, cost in zip(owners, costs or (1,) * len(owners), strict=True):
        if owner != NOBODY:
            had[owner] += cost
    known = tuple(sorted((rack for rack in racks if rack), key=sorted))
    return tuple(sorted(had.items())), had.total(), known

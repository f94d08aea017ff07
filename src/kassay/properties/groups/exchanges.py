"""Whether equally balanced assignments differ in what they cost: in moves, or in rack mismatches.

Two assignments with the same sorted loads differ by exchanges: partitions handed on in a circle, or along
a path from a member with one partition more to one with one fewer, so that the two change places. These are
the circles of a graph whose arcs lead from the holder of a partition to each other reader of it, and
from every member, by way of its load, to those with one partition more. Seen from a cheapest assignment no
circle costs less than nothing; another assignment costs more iff some circle does. With the potentials
of shortest paths every arc costs nothing or more, and a circle costs what its arcs do: so some circle costs
more iff an arc that costs something lies on one (Ahuja, Magnanti, Orlin 1993, chapter 9).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from kassay.model.groups.group import Assignment
from kassay.model.groups.step import Step

_ANYWHERE: Final[frozenset[str]] = frozenset()
Node = str | int
"""A member by its id, or a load."""


class _Arc(NamedTuple):
    """From one node to another, and what that adds to moves and to mismatches."""

    source: Node
    target: Node
    moves: int
    mismatches: int


class _Priced(NamedTuple):
    source: Node
    target: Node
    cost: int


def moves_more(step: Step, fewest: Assignment) -> bool:
    """Whether some answer with the sorted loads of `fewest` moves more; none with them may move fewer."""
    if not step.previous:
        return False
    return _some_circle_costs([_Priced(a.source, a.target, a.moves) for a in _arcs(step, fewest)])


def mismatches_more(step: Step, fewest: Assignment, *, unmoved: bool) -> bool:
    """Whether some answer with the sorted loads of `fewest` has more rack mismatches.

    With `unmoved` only those answers are meant that move as few partitions. None of the answers that are
    meant may have fewer mismatches, nor any with these loads fewer moves if `unmoved`.
    """
    if not any(map(any, step.cluster.replica_racks.values())):
        return False
    arcs = _arcs(step, fewest)
    if unmoved:
        by_moves = [_Priced(a.source, a.target, a.moves) for a in arcs]
        potential = _potentials(by_moves)
        arcs = {a for a in arcs if a.moves + potential[a.source] == potential[a.target]}
    return _some_circle_costs([_Priced(a.source, a.target, a.mismatches) for a in arcs])


def _arcs(step: Step, held: Assignment) -> set[_Arc]:
    """What may be handed on from here; partitions that are alike are handed on alike."""
    previous, racks, readers = step.previous, step.cluster.replica_racks, step.group.subscribers
    rack_of = {member.member_id: member.rack for member in step.group.members}
    arcs = set(_changes_of_places({m: len(held.get(m, ())) for m in rack_of}))
    alike = {
        (
            holder,
            tp.topic,
            previous.get(tp),
            racks[tp.topic][tp.partition] if tp.topic in racks else _ANYWHERE,
        )
        for holder, tps in held.items()
        for tp in tps
    }
    for holder, topic, before, near in alike:
        moves, wrong = before not in (None, holder), bool(near) and rack_of[holder] not in near
        for reader in readers[topic]:
            if reader != holder:
                more, worse = before not in (None, reader), bool(near) and rack_of[reader] not in near
                arcs.add(_Arc(holder, reader, more - moves, worse - wrong))
    return arcs


def _changes_of_places(loads: dict[str, int]) -> Iterator[_Arc]:
    """From whoever could have one partition more to those who have it."""
    taken = set(loads.values())
    for member_id, load in loads.items():
        if load + 1 in taken:
            yield _Arc(member_id, load, 0, 0)
        if load - 1 in taken:
            yield _Arc(load - 1, member_id, 0, 0)


def _potentials(arcs: Iterable[_Priced]) -> dict[Node, int]:
    """The cost of the cheapest path to each node from anywhere.

    Raises `ValueError` if some circle costs less than nothing.
    """
    arcs = tuple(arcs)
    cheapest: dict[Node, int] = {node: 0 for arc in arcs for node in (arc.source, arc.target)}
    for _ in range(len(cheapest) + 1):
        changed = False
        for source, target, cost in arcs:
            if cheapest[source] + cost < cheapest[target]:
                cheapest[target] = cheapest[source] + cost
                changed = True
        if not changed:
            return cheapest
    raise ValueError("expected an assignment of which no exchange saves anything")


def _some_circle_costs(arcs: Collection[_Priced]) -> bool:
    """Whether an arc that costs something, potentials taken off, lies on a circle."""
    potential = _potentials(arcs)
    onward: dict[Node, set[Node]] = {}
    costly: dict[Node, set[Node]] = {}
    for source, target, cost in arcs:
        onward.setdefault(source, set()).add(target)
        if cost + potential[source] > potential[target]:
            costly.setdefault(target, set()).add(source)
    return any(not _reached(target, onward).isdisjoint(sources) for target, sources in costly.items())


def _reached(start: Node, onward: Mapping[Node, set[Node]]) -> set[Node]:
    """The nodes that can be reached from this one."""
    reached = {start}
    waiting = [start]
    while waiting:
        new = onward.get(waiting.pop(), set()) - reached
        reached |= new
        waiting.extend(new)
    return reached

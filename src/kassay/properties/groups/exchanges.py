"""Whether equally balanced assignments differ in their cost, found as cycles of a graph of exchanges.

Cycles of a directed graph and their costs: shortest paths from any node, and strong components.

Where no cycle has a negative cost, potentials of shortest paths make every arc cost zero or more, and a cycle
cost the sum of its arcs: so some cycle has a positive cost iff an arc with a positive reduced cost lies on
one, which means inside one strong component (Ahuja, Magnanti, Orlin 1993, chapter 9; components after
Sharir's two searches).

Whether equally balanced assignments differ in their cost: in moves, or in rack mismatches.

Two assignments with the same sorted loads differ by exchanges: partitions passed on in a cycle, or along a
path from a member with one partition more to one with one fewer, so that the two swap loads. These are the
cycles of a graph whose arcs lead from the owner of a partition to each other reader of it, and from every
member, through its load, to those with one partition more. Relative to a cheapest assignment no cycle has a
negative cost; another assignment costs more iff some cycle has a positive cost.

A graph with an arc for each owner, topic and reader is large, so partitions with the same readers pass
through a node of their own. Where that path costs more than the arc that it replaces, to the previous owner
or back to the owner, it makes no path cheaper and reaches no other node, so it changes neither potentials nor
components; the cost of the arcs is then computed from the arcs themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count, islice
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Assignment
from kassay.model.groups.step import Step

Node = Hashable


class Arc(NamedTuple):
    """An arc from one node to another, with its cost."""

    source: Node
    target: Node
    cost: int


def potentials(arcs: Collection[Arc]) -> dict[Node, int]:
    """The cost of the cheapest path to each node from any node.

    Raises `ValueError` if some cycle has a negative cost.
    """
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


def components(arcs: Iterable[Arc]) -> dict[Node, int]:
    """A number for each node: equal iff paths lead from each of two to the other."""
    onward: dict[Node, list[Node]] = {}
    back: dict[Node, list[Node]] = {}
    for source, target, _ in arcs:
        onward.setdefault(source, []).append(target)
        back.setdefault(target, []).append(source)
    number: dict[Node, int] = {}
    for start in reversed(_finished(onward)):
        if start not in number:
            mine, waiting = len(number), [start]
            number[start] = mine
            for node in waiting:
                for before in back.get(node, ()):
                    if before not in number:
                        number[before] = mine
                        waiting.append(before)
    return number


def _finished(onward: Mapping[Node, list[Node]]) -> list[Node]:
    """All nodes, each one after those that a depth-first search reached from it."""
    seen, finished = set[Node](), list[Node]()
    for start in onward:
        if start in seen:
            continue
        seen.add(start)
        path = [(start, iter(onward[start]))]
        while path:
            node, rest = path[-1]
            target = next((target for target in rest if target not in seen), None)
            if target is None:
                path.pop()
                finished.append(node)
            else:
                seen.add(target)
                path.append((target, iter(onward.get(target, ()))))
    return finished


def some_circle_costs(arcs: Collection[Arc]) -> bool:
    """Whether some cycle has a positive cost; raises `ValueError` if one has a negative cost."""
    potential, number = potentials(arcs), components(arcs)
    return any(
        cost + potential[source] > potential[target] and number[source] == number[target]
        for source, target, cost in arcs
    )


_ANYWHERE: Final[frozenset[str]] = frozenset()
_LOOKS: Final = 8
"""Members that are tried for a simple exchange before all exchanges are."""

_Readers = tuple[str, ...]


class _Alike(NamedTuple):
    """Partitions of equal cost wherever they go: their readers, owner, previous owner and racks.

    `leaving` is the cost in moves of passing one to a member other than its previous owner.
    """

    readers: _Readers
    holder: str
    before: str | None
    near: frozenset[str]
    leaving: bool

    def mismatches(self, reader: str, rack_of: Mapping[str, str | None]) -> int:
        """How many more rack mismatches there are if that member has it."""
        return _is_away(rack_of[reader], self.near) - _is_away(rack_of[self.holder], self.near)


_ALIKE_OF: Final = partial(tuple.__new__, _Alike)


def moves_more(step: Step, fewest: Assignment) -> bool:
    """Whether some answer with the sorted loads of `fewest` moves more; none with them may move fewer.

    Raises `ValueError` if it finds one that does.
    """
    if not step.previous or not step.is_contested:
        return False
    if _two_move_more(step, fewest):
        return True
    handed = _handed(step, fewest)
    arcs = _moves(handed, step, fewest)
    potential, number = potentials(arcs), components(arcs)
    return any(
        number[source] == number[target] and cost + potential[source] > potential[target]
        for source, target, cost in (
            *_changes_of_places(step, fewest),
            *_handed_to_the_cheapest(handed, potential, number),
        )
    )


def mismatches_more(step: Step, fewest: Assignment, *, unmoved: bool) -> bool:
    """Whether some answer with the sorted loads of `fewest` has more rack mismatches.

    With `unmoved` only answers with equally few moves count. None of these answers may have fewer mismatches,
    nor any with these loads fewer moves if `unmoved`.
    """
    rack_of = {member[0]: member[4] for member in step.group.members}
    if len(set(rack_of.values())) < 2 or not step.cluster.has_replica_racks or not step.is_contested:
        return False
    if unmoved and fewest.owners() == step.previous:
        return False
    handed = _handed(step, fewest)
    potential = None
    if unmoved:
        free = [each for each in handed if not each.leaving]
        if _one_mismatches_more(free, rack_of, fewest) or _two_mismatch_more(free, handed, rack_of):
            return True
        if all(each.before is None for each in free):
            # Nothing is passed back at a negative cost: a free partition may go to any member, and only free
            # ones do.
            handed = set(free)
        else:
            potential = potentials(_moves(handed, step, fewest))
    if not any(len({_is_away(rack_of[m], each.near) for m in each.readers}) > 1 for each in handed):
        return False
    return some_circle_costs(_mismatches(handed, step, fewest, potential))


def _two_move_more(step: Step, fewest: Assignment) -> bool:
    """Whether two of the first few members can swap loads or one partition each so that more move.

    If one keeps a partition that another one reads, the other may take it: if it has one fewer, or if it
    returns one that the first did not have.
    """
    previous, readers = step.previous, step.group.subscribers
    loads = _loads(step.group.ids, fewest)
    for giver, kept in islice(_contested_and_kept(step, fewest), _LOOKS):
        for taker in readers[kept[0]]:
            if taker == giver:
                continue
            if loads[taker] == loads[giver] - 1:
                return True
            for tp in fewest.get(taker, ()):
                if previous.get(tp) != giver and giver in readers[tp[0]]:
                    return True
    return False


def _loads(member_ids: Collection[str], held: Assignment) -> dict[str, int]:
    """How many partitions each of the members has."""
    return dict(zip(member_ids, map(len, held.each(member_ids))))


def _one_mismatches_more(free: Iterable[_Alike], rack_of: Mapping[str, str | None], held: Assignment) -> bool:
    """Whether a member can pass a partition without moves to one with one fewer that is farther away."""
    loads = _loads(rack_of, held)
    for each in free:
        if each.near and rack_of[each.holder] in each.near:
            fewer = loads[each.holder] - 1
            for reader in each.readers:
                if loads[reader] == fewer and reader != each.before and rack_of[reader] not in each.near:
                    return True
    return False


def _two_mismatch_more(
    free: Sequence[_Alike], handed: Iterable[_Alike], rack_of: Mapping[str, str | None]
) -> bool:
    """Whether two of the first few partitions can be swapped without moves so that more mismatch.

    One of the two is no longer with its previous owner; a move is saved where it returns there, and another
    costs as much where the other partition leaves.
    """
    few = list(islice(handed, _LOOKS * _LOOKS))
    for one in free[:_LOOKS]:
        for other in few:
            if other.holder != one.holder and other.holder in one.readers and one.holder in other.readers:
                saved = (one.before == other.holder) + (other.before == one.holder)
                more = one.mismatches(other.holder, rack_of) + other.mismatches(one.holder, rack_of)
                if other.leaving == saved and more > 0:
                    return True
    return False


def _contested_and_kept(step: Step, held: Assignment) -> Iterator[tuple[str, TopicPartition]]:
    """For each member the first partition that it keeps and that others read."""
    previous, readers = step.previous, step.group.subscribers
    for member_id, tps in held.items():
        for tp in tps:
            if previous.get(tp) == member_id and len(readers[tp[0]]) > 1:
                yield member_id, tp
                break


def _handed(step: Step, held: Assignment) -> set[_Alike]:
    """The partitions that may be passed on from here; equal ones are passed on in the same way."""
    previous, racks, readers = step.previous, step.cluster.replica_racks, step.group.subscribers
    equal: dict[_Readers, _Readers] = {}
    shared = {topic: equal.setdefault(of_topic, of_topic) for topic, of_topic in readers.items()}
    had = previous.get
    return {
        _ALIKE_OF(
            (
                shared[tp[0]],
                holder,
                before := had(tp),
                racks[tp[0]][tp[1]] if tp[0] in racks else _ANYWHERE,
                before == holder,
            )
        )
        for holder, tps in held.items()
        for tp in tps
    }


def _changes_of_places(step: Step, held: Assignment) -> Iterator[Arc]:
    """Arcs from members that could have one partition more to those that have it, at no cost."""
    loads = _loads(step.group.ids, held)
    taken = set(loads.values())
    for member_id, load in loads.items():
        if load + 1 in taken:
            yield Arc(member_id, load, 0)
        if load - 1 in taken:
            yield Arc(load - 1, member_id, 0)


def _moves(handed: Iterable[_Alike], step: Step, held: Assignment) -> list[Arc]:
    """The costs of passing on in moves; back to the previous owner, minus one."""
    arcs = list(_changes_of_places(step, held))
    hub: dict[_Readers, int] = {}
    leaving: dict[tuple[str, int], int] = {}
    for readers, holder, before, *_ in handed:
        key = holder, hub.setdefault(readers, -1 - len(hub))
        leaving[key] = min(leaving.get(key, 1), before == holder)
        if before is not None and before != holder:
            arcs.append(Arc(holder, before, -1))
    arcs += [Arc(holder, node, cost) for (holder, node), cost in leaving.items()]
    arcs += [Arc(node, reader, 0) for readers, node in hub.items() for reader in readers]
    return arcs


def _handed_to_the_cheapest(
    handed: Iterable[_Alike], potential: Mapping[Node, int], number: Mapping[Node, int]
) -> Iterator[Arc]:
    """Each arc back to a previous owner, and of the others in a component the most expensive one."""
    lowest: dict[tuple[_Readers, int], list[str]] = {}
    for each in handed:
        readers, holder, before, *_ = each
        if before is not None and before != holder:
            yield Arc(holder, before, -1)
        key = readers, number[holder]
        if key not in lowest:
            inside = [m for m in readers if number[m] == key[1]]
            # One of the three with the lowest potentials is neither the owner nor the previous owner.
            lowest[key] = sorted(inside, key=potential.__getitem__)[:3]
        others = [m for m in lowest[key] if m not in (holder, before)]
        if others:
            yield Arc(holder, others[0], each.leaving)


def _mismatches(
    handed: Iterable[_Alike], step: Step, held: Assignment, potential: Mapping[Node, int] | None
) -> list[Arc]:
    """The costs of passing on in rack mismatches; with potentials only where it costs no moves by them."""
    rack_of = {member.member_id: member.rack for member in step.group.members}
    arcs = list(_changes_of_places(step, held))
    if potential is not None:
        arcs = [arc for arc in arcs if potential[arc.source] == potential[arc.target]]
    nodes = count(-1, -1)
    hub: dict[tuple[_Readers, int, frozenset[str]], int] = defaultdict(nodes.__next__)
    for each in handed:
        readers, holder, before, near, leaving = each
        wrong = _is_away(rack_of[holder], near)
        price = 0 if potential is None else potential[holder] + leaving
        arcs.append(Arc(holder, hub[readers, price, near], -wrong))
        # Passing it back costs one move less: only there is it free then.
        if (
            potential is not None
            and before is not None
            and before != holder
            and potential[before] == price - 1
        ):
            arcs.append(Arc(holder, before, _is_away(rack_of[before], near) - wrong))
    ends: dict[tuple[_Readers, int], dict[str | None, int]] = {}
    for (readers, price, near), node in hub.items():
        if (readers, price) not in ends:
            by_rack = ends[readers, price] = defaultdict(nodes.__next__)
            free = [m for m in readers if potential is None or potential[m] == price]
            arcs += [Arc(by_rack[rack_of[m]], m, 0) for m in free]
        arcs += [Arc(node, end, _is_away(rack, near)) for rack, end in ends[readers, price].items()]
    return arcs


def _is_away(rack: str | None, near: frozenset[str]) -> int:
    """1 if all known replicas are in other racks, else 0."""
    return bool(near) and rack not in near

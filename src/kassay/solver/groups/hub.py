"""The cheapest owners where members have given room: a min-cost flow through hubs.

Many sets over the same members in few parts: members, and blocks of members that several sets share.

A network in which any of many sets may be chosen needs an arc for each set and each of its members. But sets
of readers are similar: members with one subscription are in the same sets, and one subscription often
contains another. In an order in which members of the same sets are adjacent, a set is a few runs; each run is
cut into blocks of 4, 8, 16, ... members that begin at a multiple of their size, and a block that several sets
have becomes a node of its own. A path goes through each size of block at most once.

Equal partitions counted together, so that a network has arcs for classes, not for partitions.

A *unit* is what goes to one owner as a whole: a partition, or the partitions of one number of co-partitioned
topics. Two units are of one class when they have the same possible and previous owners, the same cost of
leaving each, and replicas in the same racks.

    pool(readers, racks) -> previous owner             kept: as many as it had
    pool  -> hub(readers, rack) or hub(readers, any)   given up, at the price of move and rack mismatch
    hub   -> members of that rack, in blocks           free
    member -> sink                                     by bands: `low` each, one more by a node for `high`

Hubs replace the product of classes and members, and hubs with many members in common share blocks of them
(`Blocks`): the number of arcs grows with classes + racks + readers. A class whose units had no
owner, or a single one, needs no node: which units of a pool stay makes no difference to the others, so each
leaves the pool at the price of a move, or at that price less the saving where it stays. A class whose units
had several owners (co-partitioned topics) has a node of its own before the pool.
In a load level every maximum flow is balanced, so no convex costs are needed, and the potentials of the
members are the prices of the certificate.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Final, NamedTuple

from kassay.model.lazy import lazy
from kassay.solver.algorithms.bulk_flow import carry
from kassay.solver.algorithms.flow import ENDLESS, Network, is_over
from kassay.solver.algorithms.levels import Level
from kassay.solver.check.balance import Topic
from kassay.solver.groups.problem import Problem
from kassay.solver.results import NO_OWNER

_LEAST: Final = 4
"""The smallest block: a smaller one costs as much as the arcs that it saves."""
_WORTH: Final = 512
"""The fewest arcs for which blocks are used."""

Part = int
"""A member, or block b as -1 - b."""


class Blocks(NamedTuple):
    """The parts of each set and of each block; a block's parts come after it."""

    sets: list[Sequence[Part]]
    blocks: list[Sequence[Part]]


def in_blocks(sets: Sequence[Sequence[int]]) -> Blocks:
    """The sets in parts, with no member in two parts of one set. Sets repeat no member."""
    if len(sets) < 2 or sum(map(len, sets)) < _WORTH:
        return Blocks(list(sets), [])
    order = _together(sets)
    levels = _levels(len(order))
    bit = {m: 1 << place for place, m in enumerate(order)}
    cuts = [list(_cut(sum(map(bit.__getitem__, members)), levels)) for members in sets]
    uses = Counter(block for cut in cuts for block in cut if block[1] >= _LEAST)
    shared = sorted((block for block, times in uses.items() if times > 1), key=lambda block: -block[1])
    number = {block: -1 - b for b, block in enumerate(shared)}

    def parts(places: Iterable[_Places]) -> Iterator[Part]:
        for block in places:
            if block in number:
                yield number[block]
            elif block[1] == 1:
                yield order[block[0]]
            else:
                yield from parts(_halves(block))

    return Blocks([list(parts(cut)) for cut in cuts], [list(parts(_halves(block))) for block in shared])


_Places = tuple[int, int]
"""The first of some adjacent places, and their number."""


def _halves(places: _Places) -> tuple[_Places, _Places]:
    first, size = places
    return (first, size // 2), (first + size // 2, size // 2)


def _together(sets: Sequence[Sequence[int]]) -> list[int]:
    """The members in an order in which those of the same sets, large ones above all, are adjacent."""
    inside: dict[int, list[int]] = {}
    for place, members in enumerate(sorted(sets, key=len, reverse=True)):
        for m in members:
            inside.setdefault(m, []).append(place)
    return sorted(inside, key=lambda m: (inside[m], m))


def _levels(width: int) -> list[tuple[int, int]]:
    """For each size of blocks the places where one may begin, as bits."""
    levels, size = [], 1
    while size <= width:
        levels.append((size, sum(1 << place for place in range(0, width, size))))
        size *= 2
    return levels


def _cut(members: int, levels: Sequence[tuple[int, int]]) -> Iterator[_Places]:
    """The blocks of a set of places given as bits, each as large as possible."""
    whole = [members]
    for size, begins in levels[1:]:
        half = whole[-1]
        whole.append(half & (half >> size // 2) & begins)
    above = 0
    for (size, _), blocks in zip(reversed(levels), reversed(whole), strict=True):
        left = blocks & ~above
        above |= left
        while left:
            lowest = left & -left
            left ^= lowest
            yield lowest.bit_length() - 1, size
        above |= above << size // 2  # both halves of a taken block are taken


class UnitClass(NamedTuple):
    """A class of equal units.

    `readers` is a position in `Aggregate.sets`. `kept` has for each previous owner the cost of moving its
    partitions of such a unit, `owned` is their sum. `racks` are the known replica racks of its partitions.
    """

    readers: int
    kept: tuple[tuple[int, int], ...]
    owned: int
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
        kept = () if owners[0] == NO_OWNER else ((owners[0], cost),)
        return kept, cost if kept else 0, racks if racks[0] else ()
    had = Counter[int]()
    for owner, cost in zip(owners, costs or (1,) * len(owners), strict=True):
        if owner != NO_OWNER:
            had[owner] += cost
    known = tuple(sorted((rack for rack in racks if rack), key=sorted))
    return tuple(sorted(had.items())), had.total(), known


Cost = Callable[[int, int], int]
_BETWEEN_LOOKS: Final = 2048
"""Classes that are added between two checks of the clock."""
_GRACE_SHARE: Final = 0.25
"""The time left for owners at whatever cost, as a part of the time for the cheapest."""


class Band(NamedTuple):
    """Room for `width` more units a member, in total for as many as `places` members could take."""

    width: int
    places: int


def level_bands(level: Level) -> tuple[Band, Band]:
    """The room of a load level's members."""
    return Band(level.low, len(level.members)), Band(1, level.high)


class _Pool(NamedTuple):
    """Units that cost the same wherever they move, and the arcs over which some of them stay."""

    node: int
    loose: list[int]
    kept: list[tuple[Sequence[int], int, int]]


@dataclass
class Hubs:
    """The network of some members, and the meaning of its nodes and arcs.

    `bands` are the members' room. `takers` has, for each position in `Aggregate.sets`, those of these members
    that may take its units. The key of `pools` is the position in `takers` of the first equal set, and racks.
    Arcs are those of classes to previous owners, in `pools` or `mixed`, `onward` from pool, hub or block to
    hub or block, and `arrivals` from there to members. `late` says that there was no time to find the
    cheapest owners.
    """

    members: Sequence[int]
    bands: Sequence[Band]
    racks: Sequence[str | None]
    takers: Sequence[tuple[int, ...]]
    cost: Cost
    network: Network = field(default_factory=lambda: Network(2))
    member: dict[int, int] = field(default_factory=dict)
    pools: dict[tuple[int, tuple[frozenset[str], ...]], _Pool] = field(default_factory=dict)
    mixed: list[tuple[UnitClass, list[tuple[int, int]], int, _Pool]] = field(default_factory=list)
    onward: list[tuple[int, int, int]] = field(default_factory=list)
    arrivals: list[tuple[int, int, int]] = field(default_factory=list)
    late: bool = False

    SOURCE = 0
    SINK = 1

    def build(self, classes: Sequence[UnitClass], deadline: float | None = None) -> bool:
        """Build the network for these classes; False where the deadline passed before it was complete."""
        net = self.network
        self.member = dict(zip(self.members, net.nodes(len(self.members)), strict=True))
        ways = [(width, self._shared(width, places)) for width, places in self.bands if width and places]
        for node in self.member.values():
            for width, way in ways:
                net.arc(node, way, width)
        equal: dict[tuple[int, ...], int] = {}
        first = [equal.setdefault(members, s) for s, members in enumerate(self.takers)]
        dearest = max([each.owned for each in classes], default=0)
        supply: dict[int, int] = {}
        for number, each in enumerate(classes):
            if not number % _BETWEEN_LOOKS and is_over(deadline):
                return False
            node = self._add_class(each, first[each.readers], dearest)
            supply[node] = supply.get(node, 0) + len(each.units)
        self._add_hubs(dearest)
        for node, units in supply.items():
            net.arc(self.SOURCE, node, units)
        return True

    def _shared(self, width: int, places: int) -> int:
        """The node through which members fill a band: the sink, where there is a place for each of them."""
        if places >= len(self.members):
            return self.SINK
        node = self.network.node()
        self.network.arc(node, self.SINK, width * places)
        return node

    def _add_class(self, each: UnitClass, readers: int, dearest: int) -> int:
        """The source node of the class's units: their pool, or the class's own node."""
        pool = self.pools.get((readers, each.racks))
        if pool is None:
            pool = self.pools[readers, each.racks] = _Pool(self.network.node(), [], [])
        net, racks, member, units = self.network, self.racks, self.member, len(each.units)
        kept = [
            (member[m], m, self.cost(dearest - had, mismatch(each.racks, racks[m])))
            for m, had in each.kept
            if m in member
        ]
        if len(kept) > 1:
            node = net.node()
            arcs = [(m, net.arc(node, to, units, price)) for to, m, price in kept]
            self.mixed.append((each, arcs, net.arc(node, pool.node, units), pool))
            return node
        for to, m, price in kept:
            pool.kept.append((each.units, m, net.arc(pool.node, to, units, price)))
        if not kept:
            pool.loose.extend(each.units)
        return pool.node

    def _add_hubs(self, dearest: int) -> None:
        """Add hubs from each pool to its replicas' racks, to any rack at the full price, and to members."""
        net, cost = self.network, self.cost
        racked = dict.fromkeys(readers for readers, racks in self.pools if racks)
        anywhere: dict[int, int] = {}
        near: dict[tuple[int, str | None], int] = {}
        ends: list[tuple[int, Sequence[int]]] = []
        for readers, _ in self.pools:
            if readers not in anywhere:
                anywhere[readers] = net.node()
                if readers in racked:
                    by_rack = self._by_rack(self.takers[readers])
                    hubs = dict(zip(by_rack, net.nodes(len(by_rack)), strict=True))
                    near.update(((readers, rack), hub) for rack, hub in hubs.items())
                    ends += [(hub, by_rack[rack]) for rack, hub in hubs.items()]
                else:
                    ends.append((anywhere[readers], self.takers[readers]))
        for (readers, racks), pool in self.pools.items():
            self._lead(pool.node, anywhere[readers], cost(dearest, len(racks)))
            for rack in sorted(frozenset().union(*racks)):
                if (readers, rack) in near:
                    self._lead(pool.node, near[readers, rack], cost(dearest, mismatch(racks, rack)))
        for (readers, _), hub in near.items():
            self._lead(anywhere[readers], hub, 0)
        self._arrive(ends)

    def _by_rack(self, takers: Sequence[int]) -> dict[str | None, list[int]]:
        by_rack: dict[str | None, list[int]] = {}
        for m in takers:
            by_rack.setdefault(self.racks[m], []).append(m)
        return by_rack

    def _lead(self, tail: int, head: int, price: int) -> None:
        self.onward.append((tail, head, self.network.arc(tail, head, ENDLESS, price)))

    def _arrive(self, ends: Sequence[tuple[int, Sequence[int]]]) -> None:
        """Add arcs from each of these hubs to its members, through the blocks that several have."""
        cut = in_blocks([members for _, members in ends])
        blocks = self.network.nodes(len(cut.blocks))
        ways = chain(
            zip([hub for hub, _ in ends], cut.sets, strict=True), zip(blocks, cut.blocks, strict=True)
        )
        arc, member = self.network.arc, self.member
        for tail, parts in ways:
            for part in parts:
                if part < 0:
                    self._lead(tail, blocks[-1 - part], 0)
                else:
                    self.arrivals.append((tail, part, arc(tail, member[part])))

    def owners(self, owner: list[int]) -> None:
        """Write the owner of each unit, as the flow says, lower numbers first."""
        flow = self.network.flow
        waiting: dict[int, list[int]] = {}
        for pool in self.pools.values():
            rest = waiting[pool.node] = pool.loose
            for units, m, arc in pool.kept:
                staying = flow(arc)
                for unit in units[:staying]:
                    owner[unit] = m
                rest += units[staying:]
        for each, arcs, spill, pool in self.mixed:
            first = 0
            for m, arc in arcs:
                for unit in each.units[first : first + flow(arc)]:
                    owner[unit] = m
                first += flow(arc)
            waiting[pool.node] += each.units[first : first + flow(spill)]
        for tail, hub, arc in self.onward:
            going = flow(arc)
            if going:
                queue = waiting[tail]
                waiting.setdefault(hub, []).extend(queue[-going:])
                del queue[-going:]
        for hub, m, arc in self.arrivals:
            for _ in range(flow(arc)):
                owner[waiting[hub].pop()] = m

    def prices(self) -> dict[int, int]:
        """The price of each member: the dual solution, at least 0."""
        potential = self.network.potential
        most = max(potential[node] for node in self.member.values())
        return {m: most - potential[node] for m, node in self.member.items()}


def mismatch(racks: tuple[frozenset[str], ...], rack: str | None) -> int:
    """How many partitions of a unit have no replica in the rack."""
    return len([known for known in racks if rack not in known])


def assign_level(
    hubs: Hubs,
    classes: Sequence[UnitClass],
    owner: list[int],
    deadline: float | None = None,
    *,
    portable: bool = False,
) -> dict[int, int]:
    """Write the cheapest owners of these classes' units; returns the price of each member of the level.

    `portable` owners come from kassay's own flow alone: they are the same whether OR-tools is installed or
    not.

    After the deadline, units without an owner get one at whatever cost: the owners still fill the level, but
    the prices may no longer prove them cheapest, and the hubs are `late`. If there is no time for that
    either, no owner is written and no price is returned.
    """
    if len(hubs.members) == 1:
        only = hubs.members[0]
        for each in classes:
            for unit in each.units:
                owner[unit] = only
        return {only: 0}
    began = time.monotonic()
    if not hubs.build(classes, deadline):
        hubs.late = True
        return {}
    units = sum(len(each.units) for each in classes)
    push = Network.cheapest if portable else carry
    moved = push(hubs.network, hubs.SOURCE, hubs.SINK, units, deadline)
    if moved < units and deadline is not None:
        hubs.late = True
        given_up = deadline + _GRACE_SHARE * max(0.0, deadline - began)
        moved += hubs.network.maximum(hubs.SOURCE, hubs.SINK, given_up)
        if moved < units and is_over(given_up):
            return {}
    if moved != units:
        raise AssertionError(f"{moved} of {units} units found an owner in a level that has room for all")
    hubs.owners(owner)
    return hubs.prices()

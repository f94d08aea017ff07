"""The cheapest owners where members have given room: a min-cost flow through hubs.

    pool(readers, racks) -> previous owner             kept: as many as it had
    pool  -> hub(readers, rack) or hub(readers, any)   given up, at the price of move and rack mismatch
    hub   -> members of that rack, in blocks           free
    member -> sink                                     by bands: `low` each, one more by a node for `high`

Hubs replace the product of classes and members, and hubs with many members in common share blocks of them
(`algorithms/blocks`): the number of arcs grows with classes + racks + readers. A class whose units had no
owner, or a single one, needs no node: which units of a pool stay makes no difference to the others, so each
leaves the pool at the price of a move, or at that price less the saving where it stays. A class whose units
had several owners (co-partitioned topics) has a node of its own before the pool.
In a load level every maximum flow is balanced, so no convex costs are needed, and the potentials of the
members are the prices of the certificate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

from kassay.solver.algorithms.blocks import in_blocks
from kassay.solver.algorithms.carry import carry
from kassay.solver.algorithms.flow import ENDLESS, Network, is_over
from kassay.solver.algorithms.levels import Level
from kassay.solver.consumers.classes import UnitClass

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
        dearest = max([each.claimed for each in classes], default=0)
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

"""The cheapest owners where members have so much room: a min-cost flow through hubs.

    class -> previous owner                  kept
    class -> pool(readers, racks)            given up, at the price of the move
    pool  -> hub(readers, rack) or hub(readers, any)   at the price of a rack mismatch
    hub   -> members of that rack            free
    member -> sink                           by bands: `low` each, one more through a node for `high`

The hubs stand for the product of classes and members: arcs grow with classes + racks + readers.
In a load level every maximum flow is balanced, so no convex costs are needed, and the potentials of
the members are the prices of the certificate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kassay.solver.algorithms.flow import ENDLESS, Network, is_over
from kassay.solver.algorithms.levels import Level
from kassay.solver.consumers.classes import UnitClass

Cost = Callable[[int, int], int]
_BETWEEN_LOOKS: Final = 2048
"""Classes that are laid out between two looks at the clock."""
_GRACE_SHARE: Final = 0.25
"""What is left for owners at whatever cost, of the time that the cheapest had."""


class Band(NamedTuple):
    """Room for `width` more units a member, in all for as many as `places` members could take."""

    width: int
    places: int


def level_bands(level: Level) -> tuple[Band, Band]:
    """The room of a load level's members."""
    return Band(level.low, len(level.members)), Band(1, level.high)


@dataclass
class Hubs:
    """The network of some members and what its nodes and arcs stand for.

    `bands` say how much they take. `takers` has, for each position in `Aggregate.sets`, those of these
    members that may take its units. `kept`, `spill`, `onward` and `arrivals` are arcs: from class to
    previous owner, from class to pool, from pool or hub to hub, and from hub to member. `late` says that
    there was no time to find the cheapest owners.
    """

    members: Sequence[int]
    bands: Sequence[Band]
    racks: Sequence[str | None]
    takers: Sequence[tuple[int, ...]]
    cost: Cost
    network: Network = field(default_factory=lambda: Network(2))
    member: dict[int, int] = field(default_factory=dict)
    pools: dict[tuple[tuple[int, ...], tuple[frozenset[str], ...]], int] = field(default_factory=dict)
    rack_hubs: dict[tuple[tuple[int, ...], str | None], int] = field(default_factory=dict)
    kept: list[tuple[UnitClass, list[tuple[int, int]], int, int]] = field(default_factory=list)
    loose: dict[int, list[int]] = field(default_factory=dict)
    onward: list[tuple[int, int, int]] = field(default_factory=list)
    arrivals: list[tuple[int, int, int]] = field(default_factory=list)
    late: bool = False

    SOURCE = 0
    SINK = 1

    def build(self, classes: Sequence[UnitClass], deadline: float | None = None) -> bool:
        """Lay out the network for these classes; False where the deadline passed before it was whole."""
        net = self.network
        self.member = dict(zip(self.members, net.nodes(len(self.members)), strict=True))
        ways = [(width, self._shared(width, places)) for width, places in self.bands if width and places]
        for node in self.member.values():
            for width, way in ways:
                net.arc(node, way, width)
        for number, each in enumerate(classes):
            if not number % _BETWEEN_LOOKS and is_over(deadline):
                return False
            self._add_class(each)
        self._add_hubs()
        for pool, units in self.loose.items():
            net.arc(self.SOURCE, pool, len(units))
        return True

    def _shared(self, width: int, places: int) -> int:
        """The node through which members fill a band: the sink, where there is a place for each of them."""
        if places >= len(self.members):
            return self.SINK
        node = self.network.node()
        self.network.arc(node, self.SINK, width * places)
        return node

    def _add_class(self, each: UnitClass) -> None:
        takers = self.takers[each.readers]
        pool = self.pools.get((takers, each.racks))
        if pool is None:
            pool = self.pools[takers, each.racks] = self.network.node()
        old = [(m, had) for m, had in each.kept if m in self.member]
        if not old:
            self.loose.setdefault(pool, []).extend(each.units)
            return
        net, racks, cost = self.network, self.racks, self.cost
        node = net.node()
        net.arc(self.SOURCE, node, len(each.units))
        arcs = [
            (
                m,
                net.arc(
                    node, self.member[m], ENDLESS, cost(each.claimed - had, mismatch(each.racks, racks[m]))
                ),
            )
            for m, had in old
        ]
        self.kept.append((each, arcs, net.arc(node, pool, ENDLESS, cost(each.claimed, 0)), pool))

    def _add_hubs(self) -> None:
        """From each pool to the racks of its replicas, and to any rack at the full price."""
        net, cost = self.network, self.cost
        racked = {takers for takers, racks in self.pools if racks}
        anywhere: dict[tuple[int, ...], int] = {}
        for (takers, racks), pool in self.pools.items():
            if takers not in racked:
                self._arrive(pool, takers)
                continue
            if takers not in anywhere:
                anywhere[takers] = net.node()
                self._split_by_rack(takers)
            hub = anywhere[takers]
            self.onward.append((pool, hub, net.arc(pool, hub, ENDLESS, cost(0, len(racks)))))
            for rack in sorted(frozenset().union(*racks)):
                near = self.rack_hubs.get((takers, rack))
                if near is not None:
                    price = cost(0, mismatch(racks, rack))
                    self.onward.append((pool, near, net.arc(pool, near, ENDLESS, price)))
        for (takers, _), hub in self.rack_hubs.items():
            tail = anywhere[takers]
            self.onward.append((tail, hub, net.arc(tail, hub)))

    def _split_by_rack(self, takers: tuple[int, ...]) -> None:
        by_rack: dict[str | None, list[int]] = {}
        for m in takers:
            by_rack.setdefault(self.racks[m], []).append(m)
        for rack, near in by_rack.items():
            hub = self.rack_hubs[takers, rack] = self.network.node()
            self._arrive(hub, near)

    def _arrive(self, hub: int, members: Sequence[int]) -> None:
        arc, member = self.network.arc, self.member
        self.arrivals += [(hub, m, arc(hub, member[m])) for m in members]

    def owners(self, owner: list[int]) -> None:
        """Write the owner of each unit, as the flow says, lower numbers first."""
        flow = self.network.flow
        waiting = self.loose
        for each, arcs, spill, pool in self.kept:
            first = 0
            for m, arc in arcs:
                for unit in each.units[first : first + flow(arc)]:
                    owner[unit] = m
                first += flow(arc)
            if flow(spill):
                waiting.setdefault(pool, []).extend(each.units[first:])
        for tail, hub, arc in self.onward:
            if flow(arc):
                queue = waiting[tail]
                waiting.setdefault(hub, []).extend(queue[-flow(arc) :])
                del queue[-flow(arc) :]
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
    hubs: Hubs, classes: Sequence[UnitClass], owner: list[int], deadline: float | None = None
) -> dict[int, int]:
    """Write the cheapest owners of these classes' units; the price of each member of the level.

    After the deadline what has no owner yet gets one at whatever cost: the owners fill the level all the
    same, but the prices may prove them cheapest no more, and the hubs say that they are `late`. Where there
    is no time for that either no owner is written and no price comes back.
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
    moved = hubs.network.cheapest(hubs.SOURCE, hubs.SINK, units, deadline)
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

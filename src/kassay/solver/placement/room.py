"""A valid placement within `max_replicas`: first the number of replicas of each broker, then rows.

Partitions of one replication factor differ only in their present brokers. So one maximum flow over a network
with a node for each factor, rack and broker decides whether there is room; without room, the source side of
its least cut is the witness. Rows follow: replicas leave overfull brokers wherever the rack rule allows a
substitute, and where that does not suffice all partitions of the factor are placed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, repeat

from kassay.solver.algorithms.flow import ENDLESS, Network
from kassay.solver.placement.problem import (
    Broker,
    InfeasiblePlacementError,
    PlacementProblem,
    Spread,
    broker_ids,
)


def overfull(brokers: Sequence[Broker], counts: Sequence[int]) -> list[int]:
    """The positions of the brokers that hold more than their `max_replicas`, their base included."""
    return [
        place
        for place, broker in enumerate(brokers)
        if broker.max_replicas is not None and counts[place] + broker.base > broker.max_replicas
    ]


def require_room(problem: PlacementProblem, factors: Sequence[int], picks: Sequence[set[int]]) -> None:
    """Raise `InfeasiblePlacementError`, with the brokers that show it, where `max_replicas` leave no room.

    `picks` are valid replicas (positions of brokers) of each partition, whatever the brokers' room.
    """
    if overfull(problem.brokers, _counts(len(problem.brokers), picks)):
        _targets(problem, _by_factor(factors), picks)


def within_room(
    problem: PlacementProblem, factors: Sequence[int], picks: Sequence[set[int]]
) -> list[set[int]]:
    """Valid replicas of each partition within `max_replicas`, near the picks; raises as `require_room`."""
    rows = [set(row) for row in picks]
    if not overfull(problem.brokers, _counts(len(problem.brokers), rows)):
        return rows
    by_factor = _by_factor(factors)
    for rf, target in _targets(problem, by_factor, rows).items():
        deal = _Deal(problem.racks or (0,) * len(problem.brokers), problem.spread(rf), target)
        deal.hand_over([rows[item] for item in by_factor[rf]])
        if any(deal.surplus):
            for item, row in zip(by_factor[rf], deal.rebuilt(len(by_factor[rf])), strict=True):
                rows[item] = row
    return rows


def _by_factor(factors: Sequence[int]) -> dict[int, list[int]]:
    """The partitions of each replication factor."""
    by_factor: dict[int, list[int]] = {}
    for item, rf in enumerate(factors):
        by_factor.setdefault(rf, []).append(item)
    return by_factor


def _counts(places: int, rows: Sequence[set[int]]) -> list[int]:
    counts = [0] * places
    for row in rows:
        for place in row:
            counts[place] += 1
    return counts


def _targets(
    problem: PlacementProblem, by_factor: Mapping[int, Sequence[int]], rows: Sequence[set[int]]
) -> dict[int, list[tuple[int, int]]]:
    """For each replication factor each broker's present replicas of it, and its target within its room."""
    brokers, places = problem.brokers, range(len(problem.brokers))
    racks = problem.racks or (0,) * len(brokers)
    net = Network(2 + len(brokers))
    source, sink = len(brokers), len(brokers) + 1
    counts = _counts(len(brokers), rows)
    for place, broker in enumerate(brokers):
        over = 0
        if broker.max_replicas is not None:
            over = counts[place] + broker.base - broker.max_replicas
        net.arc(source, place, max(0, over))
        net.arc(place, sink, ENDLESS if broker.max_replicas is None else max(0, -over))
    arcs: dict[int, list[tuple[int, int, int]]] = {}
    for rf, items in by_factor.items():
        number, spread = len(items), problem.spread(rf)
        held = _counts(len(brokers), [rows[item] for item in items])
        whole, inside = net.node(), net.nodes(max(racks) + 1)
        for rack, node in enumerate(inside):
            total = sum(held[place] for place in places if racks[place] == rack)
            net.arc(node, whole, total - number * spread.least)
            net.arc(whole, node, number * spread.most - total)
        arcs[rf] = [
            (
                held[place],
                net.arc(place, inside[racks[place]], held[place]),
                net.arc(inside[racks[place]], place, number - held[place]),
            )
            for place in places
        ]
    net.maximum(source, sink)
    targets = {
        rf: [(held, held - net.flow(away) + net.flow(more)) for held, away, more in ways]
        for rf, ways in arcs.items()
    }
    final = [sum(target[place][1] for target in targets.values()) for place in places]
    if overfull(brokers, final):
        reached = net.reachable([source])
        raise _infeasible(brokers, [place for place in places if reached[place]], final)
    return targets


def _infeasible(
    brokers: Sequence[Broker], tight: Sequence[int], counts: Sequence[int]
) -> InfeasiblePlacementError:
    ids = [brokers[place].id for place in tight]
    forced = sum(counts[place] for place in tight)
    room = sum((brokers[place].max_replicas or 0) - brokers[place].base for place in tight)
    return InfeasiblePlacementError(
        f"brokers: max_replicas leave {room} places on {broker_ids(ids)}, "
        f"expected at least {forced}, for so many replicas the other brokers cannot take",
        ids,
    )


class _Deal:
    """The replicas of one replication factor on their way to each broker's target number."""

    def __init__(self, racks: Sequence[int], spread: Spread, target: Sequence[tuple[int, int]]) -> None:
        self.racks = racks
        self.spread = spread
        self.target = [wanted for _, wanted in target]
        self.surplus = [max(0, held - wanted) for held, wanted in target]
        self.lacking = {place: wanted - held for place, (held, wanted) in enumerate(target) if wanted > held}

    def hand_over(self, rows: Sequence[set[int]]) -> None:
        """Let brokers below their target take replicas from brokers above it, partition by partition."""
        for row in rows:
            for place in [place for place in row if self.surplus[place]]:
                taker = self._taker(row, place)
                if taker is None:
                    continue
                row.remove(place)
                row.add(taker)
                self.surplus[place] -= 1
                self.lacking[taker] -= 1
                if not self.lacking[taker]:
                    del self.lacking[taker]

    def _taker(self, row: set[int], place: int) -> int | None:
        """The broker that may replace one in a row by the rack rule, in its own rack if possible."""
        racks = self.racks
        able = [other for other in self.lacking if other not in row]
        near = next((other for other in able if racks[other] == racks[place]), None)
        if near is not None or not able:
            return near
        held = [racks[other] for other in row]
        if held.count(racks[place]) <= self.spread.least:
            return None
        return next((other for other in able if held.count(racks[other]) < self.spread.most), None)

    def rebuilt(self, partitions: int) -> list[set[int]]:
        """New rows in which each broker has its target number, whatever the rows were before.

        Each rack's places are assigned round robin: its replicas beyond the least go to one partition after
        another, and so do its brokers, and no partition gets a broker twice.
        """
        least, racks = self.spread.least, self.racks
        number = max(racks) + 1
        totals = [0] * number
        for place, wanted in enumerate(self.target):
            totals[racks[place]] += wanted
        more: list[list[int]] = [[least] * partitions for _ in range(number)]
        extra = chain.from_iterable(repeat(rack, totals[rack] - partitions * least) for rack in range(number))
        for turn, rack in enumerate(extra):
            more[rack][turn % partitions] += 1
        rows: list[set[int]] = [set() for _ in range(partitions)]
        for rack in range(number):
            order = sorted(range(partitions), key=more[rack].__getitem__, reverse=True)
            places = chain.from_iterable(
                repeat(place, wanted) for place, wanted in enumerate(self.target) if racks[place] == rack
            )
            for turn, place in enumerate(places):
                rows[order[turn % partitions]].add(place)
        return rows

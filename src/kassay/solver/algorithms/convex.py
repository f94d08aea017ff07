"""Units flow to places whose costs are convex in their count: the cheapest flow, and its proof.

The cost of another unit at a place when every place should hold its share.

A place is near what it is due in the optimum, mostly. So its convex cost is modelled unit by unit only
in a window around that; below and above the window it continues as a straight line. Such a cost is
nowhere above the true one, and equal to it inside the window. So an optimum with all counts inside their
windows is a true one; where a count is outside, its window grows and the flow is solved again. Source:
Ahuja, Magnanti, Orlin, "Network Flows", chapter 14 (convex costs as parallel arcs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from kassay.solver.algorithms import bulk_flow
from kassay.solver.algorithms.bulk_flow import Arcs
from kassay.solver.algorithms.flow import Network, is_over


@dataclass(frozen=True)
class Quota:
    """The convex cost of a broker's count: its squared distance from its share, times the sum of shares.

    `weight` makes one unit of it cost more than all movement together.
    """

    shares: Sequence[int]
    total: int
    weight: int
    base: Sequence[int]
    room: Sequence[int | None]

    @classmethod
    def plain(cls, shares: Sequence[int], total: int, weight: int) -> Quota:
        """The quota of places that hold nothing at the start and have room for all."""
        return cls(shares, total, weight, [0] * len(shares), [None] * len(shares))

    @cached_property
    def scale(self) -> int:
        """The sum of the shares."""
        return sum(self.shares)

    @cached_property
    def is_equal(self) -> bool:
        """Whether all shares are equal."""
        return len({*self.shares}) == 1

    @cached_property
    def overflow(self) -> int:
        """The cost of one replica beyond the room: more than any imbalance costs."""
        return 4 * self.scale * (self.total + 1) ** 2

    def marginal(self, place: int, count: int) -> int:
        """The cost of the next unit at a place that holds `count` in addition to its base."""
        held = count + self.base[place]
        step = self.scale * (2 * held + 1) - 2 * self.total * self.shares[place]
        room = self.room[place]
        if room is not None and held >= room:
            step += self.overflow
        return step * self.weight

    def step(self, place: int, count: int) -> int:
        """As `marginal`, for a flow alone: where shares are equal, without their sum as a factor.

        Without that factor, and without the constant that all places share, costs fit 64 bits in larger
        problems. The order of imbalances is the same: one unit still costs at least `weight`.
        """
        if not self.is_equal:
            return self.marginal(place, count)
        held = count + self.base[place]
        room = self.room[place]
        over = self.overflow // self.scale if room is not None and held >= room else 0
        return (2 * held + 1 + over) * self.weight

    def cost(self, place: int, count: int) -> int:
        """The cost of all these units together at a place that has room for them."""
        base = self.base[place]
        squares = self.scale * ((count + base) ** 2 - base**2)
        return self.weight * (squares - 2 * self.total * self.shares[place] * count)

    def level_price(self) -> int:
        """The price at which all units are placed with every place near its share, whatever it costs."""
        places = range(len(self.shares))
        whole = [self.floor(place) for place in places]
        rest = self.total - sum(whole)
        steps = sorted(self.marginal(place, whole[place] - self.base[place]) for place in places)
        return steps[rest - 1] if rest else 0

    def ceiling(self, place: int) -> int:
        """The share of a place, rounded up, its base included."""
        return -(-self.total * self.shares[place] // self.scale)

    def floor(self, place: int) -> int:
        """The share of a place, rounded down, its base included."""
        return self.total * self.shares[place] // self.scale


_WINDOW: Final = 2
_GROWTH: Final = 4

Marginal = Callable[[int, int], int]
"""(place, count) -> the cost of the place's next unit when it holds `count`; not decreasing in count."""


def place_prices(
    nodes: int,
    arcs: Arcs,
    flows: Sequence[int],
    counts: Sequence[int],
    most: Sequence[int],
    marginal: Marginal,
) -> tuple[int, ...] | None:
    """The price of a unit at each place, so that no unit gains by a move; None where one does.

    The first nodes are the places, each with its count and the largest count that it may have. A price lies
    between the cost of the last unit of its place and the cost of the next one.
    """
    held = [(place, marginal(place, count - 1), 1) for place, count in enumerate(counts) if count]
    more = [
        (place, marginal(place, count), 0)
        for place, (count, limit) in enumerate(zip(counts, most, strict=True))
        if count < limit
    ]
    last = held + more
    whole = Arcs(
        [*arcs.tails, *(place for place, _, _ in last)],
        [*arcs.heads, *(nodes for _ in last)],
        [*arcs.capacities, *(1 for _ in last)],
        [*arcs.costs, *(cost for _, cost, _ in last)],
    )
    proof = bulk_flow.potentials(nodes + 1, whole, [*flows, *(flow for _, _, flow in last)])
    if proof is None:
        return None
    return tuple(proof[nodes] - proof[place] for place in range(len(counts)))


class Convex:
    """A network whose first nodes are the places; `most[b]` is the largest count of place b.

    Every unit of `supplies`, one number a node, goes to a place. Costs of arcs must not be negative. From
    `enough` arcs on OR-tools is used.
    """

    def __init__(self, most: Sequence[int], enough: int | None = None) -> None:
        self.most = most
        self.enough = bulk_flow.ENOUGH if enough is None else enough
        self.supplies = [0] * len(most)
        self.tails: list[int] = []
        self.heads: list[int] = []
        self.capacities: list[int] = []
        self.costs: list[int] = []

    def node(self, supply: int = 0) -> int:
        """A new node with this supply."""
        self.supplies.append(supply)
        return len(self.supplies) - 1

    def arc(self, tail: int, head: int, capacity: int, cost: int = 0) -> int:
        """A new arc; returns its position among the flows."""
        self.tails.append(tail)
        self.heads.append(head)
        self.capacities.append(capacity)
        self.costs.append(cost)
        return len(self.tails) - 1

    def counts(self, flows: Sequence[int]) -> list[int]:
        """The number of units at each place."""
        counts = self.supplies[: len(self.most)]
        for tail, head, flow in zip(self.tails, self.heads, flows, strict=True):
            if flow:
                if head < len(counts):
                    counts[head] += flow
                if tail < len(counts):
                    counts[tail] -= flow
        return counts

    def cheapest(
        self, marginal: Marginal, near: Sequence[int], deadline: float | None = None, unit: int = 1
    ) -> list[int] | None:
        """The flow over each arc in a cheapest flow; None where none carries all, or after the deadline.

        `near` estimates the count of each place: the better it is, the faster. With a deadline, one of
        `time.monotonic`, only kassay's own engine runs, since it checks the clock. Costs of places are
        multiples of the `unit`, and those of the arcs together less, if one is given.
        """
        reach = [_WINDOW] * len(near)
        while not is_over(deadline):
            windows = [
                (max(0, min(want, most) - width), min(want + width, most))
                for want, width, most in zip(near, reach, self.most, strict=True)
            ]
            flows = self._flows(marginal, windows, deadline, unit)
            if flows is None:
                return None
            outside = [
                place
                for place, (count, (low, high)) in enumerate(zip(self.counts(flows), windows, strict=True))
                if not low <= count <= high
            ]
            if not outside:
                return flows
            for place in outside:
                reach[place] *= _GROWTH
        return None

    def within_one(self, marginal: Marginal, least: Sequence[int]) -> list[int] | None:
        """The flow over each arc in the cheapest flow with `least` units or one more at each place.

        None where no such flow exists, or OR-tools gives no answer. Other flows may be cheaper: `prices`
        shows it.
        """
        sink = len(self.supplies)
        free = [place for place, (low, most) in enumerate(zip(least, self.most, strict=True)) if low < most]
        costs = [marginal(place, least[place]) for place in free]
        # All remaining units pass one of these arcs: only the differences between their costs matter.
        cheapest = min(costs, default=0)
        arcs = Arcs(
            self.tails + free,
            self.heads + [sink] * len(free),
            self.capacities + [1] * len(free),
            self.costs + [cost - cheapest for cost in costs],
        )
        supplies = [*self.supplies, sum(least) - sum(self.supplies)]
        for place, low in enumerate(least):
            supplies[place] -= low
        flows = bulk_flow.cheapest(arcs, supplies)
        return None if flows is None else flows[: len(self.tails)]

    def _flows(
        self, marginal: Marginal, windows: Sequence[tuple[int, int]], deadline: float | None, unit: int
    ) -> list[int] | None:
        """The cheapest flow where places cost their true cost in their windows, and at most that beyond."""
        sink = len(self.supplies)
        last: list[tuple[int, int, int]] = []
        for place, (low, high) in enumerate(windows):
            if low:
                last.append((place, low, marginal(place, low - 1)))
            last += [(place, 1, marginal(place, count)) for count in range(low, high)]
            if high < self.most[place]:
                last.append((place, self.most[place] - high, marginal(place, high)))
        places, rooms, costs = (list(each) for each in zip(*last, strict=True)) if last else ([], [], [])
        # All units pass one of the last arcs: a constant added to the costs of all of those changes nothing.
        least = min(costs, default=0)
        arcs = Arcs(
            self.tails + places,
            self.heads + [sink] * len(last),
            self.capacities + rooms,
            self.costs + [cost - least for cost in costs],
        )
        if deadline is None and len(arcs.tails) >= self.enough:
            flows = bulk_flow.cheapest(arcs, [*self.supplies, -sum(self.supplies)], unit)
            if flows is not None:
                return flows[: len(self.tails)]
        return self._own_flows(arcs, sink, deadline)

    def _own_flows(self, arcs: Arcs, sink: int, deadline: float | None) -> list[int] | None:
        net = Network(sink + 2)
        numbers = [net.arc(*each) for each in zip(*arcs, strict=True)]
        for node, supply in enumerate(self.supplies):
            if supply:
                net.arc(sink + 1, node, supply)
        total = sum(self.supplies)
        if bulk_flow.own(net, sink + 1, sink, total, deadline) < total:
            return None
        return [net.flow(number) for number in numbers[: len(self.tails)]]

    def prices(
        self, flows: Sequence[int], marginal: Marginal, costs: Sequence[int] | None = None
    ) -> tuple[int, ...] | None:
        """The price of a unit at each place, so that no unit gains by a move; None where one does.

        `costs`, if given, replace those of the arcs: a flow that several goals chose is proven for the first
        ones alone.
        """
        chosen = self.costs if costs is None else costs
        arcs = Arcs(self.tails, self.heads, self.capacities, chosen)
        return place_prices(len(self.supplies), arcs, flows, self.counts(flows), self.most, marginal)

    def reachable(self, flows: Sequence[int], start: Iterable[int]) -> set[int]:
        """The places to which a unit can move from `start`, at whatever cost; `start` included."""
        return self._along(self._ways(flows, forth=True), start)

    def reaching(self, flows: Sequence[int], goal: Iterable[int]) -> set[int]:
        """The places from which a unit can move to `goal`, at whatever cost; `goal` included."""
        return self._along(self._ways(flows, forth=False), goal)

    def _ways(self, flows: Sequence[int], *, forth: bool) -> dict[int, list[int]]:
        """The residual arcs of each node: where a unit may go, or where it may come from.

        No unit goes to a place that has its largest count.
        """
        full = {place for place, (n, most) in enumerate(zip(self.counts(flows), self.most)) if n >= most}
        ways: dict[int, list[int]] = {}
        for tail, head, room, flow in zip(self.tails, self.heads, self.capacities, flows, strict=True):
            if room > flow and head not in full:
                ways.setdefault(tail if forth else head, []).append(head if forth else tail)
            if flow and tail not in full:
                ways.setdefault(head if forth else tail, []).append(tail if forth else head)
        return ways

    def _along(self, ways: Mapping[int, Sequence[int]], start: Iterable[int]) -> set[int]:
        seen = set(start)
        waiting = list(seen)
        while waiting:
            more = [node for node in ways.get(waiting.pop(), ()) if node not in seen]
            seen.update(more)
            waiting += more
        return {node for node in seen if node < len(self.most)}

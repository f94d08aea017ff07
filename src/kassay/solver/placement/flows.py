"""Replicas and preferred leaders of all partitions at once, as flows: for clusters of real size.

Replicas of all partitions at once, as one flow through racks: for clusters of real size.

Equal partitions (replication factor, brokers that hold them, leader) are a class. Its replicas flow into
racks, and in a rack either to a broker that has one, which costs nothing, or through the rack's hub to any
broker, which is a copy. So the number of arcs grows with classes, not with classes times brokers. Where every
rack must hold an exact number of replicas of each partition, racks do not depend on each other, and a class
is defined by the broker that holds the replica of one rack.

**Exact where a rack takes one replica of a partition**: the replica that a hub assigns to such a partition is
its only one in that rack. Where a rack takes more (fewer racks than replicas, small racks, no racks at all),
a hub could assign two replicas of one partition to one broker. So there a class sends one replica a partition
through a hub, or as many as cannot stay. The prices show whether the best placement needs more: where they
prove this one against hubs without that limit, it is the best one; otherwise there is no result from here.

The best preferred leaders for given replicas: balance, then the fewest changes of leader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, compress, count, repeat
from typing import NamedTuple

from kassay.solver.algorithms import bulk_flow
from kassay.solver.algorithms.bulk_flow import Arcs
from kassay.solver.algorithms.convex import Convex, Quota, place_prices
from kassay.solver.algorithms.levels import even_picks
from kassay.solver.placement.problem import Broker, PlacementProblem, Spread


class Partitions(NamedTuple):
    """One entry a partition: the number of its replicas, their present holders, and the leader among them.

    Brokers are positions; `leads` is None where no leader exists that could continue.
    """

    factors: Sequence[int]
    current: Sequence[tuple[int, ...]]
    leads: Sequence[int | None]


class _Lane(NamedTuple):
    """Replicas of a class in one rack: arcs to their holders, an arc to the hub, and the hub's share."""

    rack: int
    kept: list[tuple[int, int]]
    hub: int
    due: int


class _Class(NamedTuple):
    """Equal partitions, and their lanes."""

    items: list[int]
    lanes: list[_Lane]


class RackHubs:
    """The best replicas of all partitions, `picks`, as sets of positions; `counts` of each broker.

    Of the best in balance and copies, those that take the replica from the fewest leaders. Where `solved` is
    false there is no result, or none by the deadline (one of `time.monotonic`).
    """

    def __init__(
        self, problem: PlacementProblem, partitions: Partitions, quota: Quota, deadline: float | None = None
    ) -> None:
        self.problem, self.partitions = problem, partitions
        number = len(partitions.factors)
        self.racks = problem.racks or (0,) * len(problem.brokers)
        self.spreads = {rf: problem.spread(rf) for rf in set(partitions.factors)}
        rooms = (
            number if room is None else max(0, min(number, room - base))
            for room, base in zip(quota.room, quota.base, strict=True)
        )
        # Few arcs may carry many units; and where the leaders' flow loads OR-tools, it costs nothing more.
        self.net = Convex(list(rooms), 0 if sum(partitions.factors) >= bulk_flow.ENOUGH else None)
        self.sizes = [self.racks.count(rack) for rack in range(max(self.racks) + 1)]
        self.hubs = [self.net.node() for _ in self.sizes]
        self.outlets = [
            (place, self.net.arc(self.hubs[rack], place, number))
            for place, (broker, rack) in enumerate(zip(problem.brokers, self.racks, strict=True))
            if not broker.cordoned
        ]
        # Any copy costs more than all leaders together, and any imbalance more than all copies.
        self.copy = number + 2
        self.narrow: list[int] = []
        self.classes = [self._lay(key, items) for key, items in self._alike().items()]
        heavy = replace(quota, weight=quota.weight * (self.copy + 1))
        self.flows = self.net.cheapest(heavy.step, self._near(quota), deadline, heavy.weight)
        self.picks: list[set[int]] = [set() for _ in range(number)]
        self.counts: list[int] = []
        self.solved = self.flows is not None and self._deal(self.flows)

    def _alike(self) -> dict[tuple[int, int, tuple[int, ...], int | None], list[int]]:
        """The partitions of each class: its factor, the rack or -1 for all, its replicas, its leader."""
        classes: dict[tuple[int, int, tuple[int, ...], int | None], list[int]] = {}
        racks, apart = self.racks, {rf for rf in self.spreads if self._fixed(rf)}
        every = range(len(self.sizes))
        single: dict[int, list[tuple[int, dict[int, int], int | None]]] = {rf: [] for rf in apart}
        for item, (rf, row, lead) in enumerate(zip(*self.partitions, strict=True)):
            if rf not in apart:
                classes.setdefault((rf, -1, tuple(sorted(row)), lead), []).append(item)
                continue
            inside = {racks[place]: place for place in row}
            if len(inside) == len(row):
                single[rf].append((item, inside, lead))
                continue
            for rack in every:
                kept = tuple(sorted([place for place in row if racks[place] == rack]))
                classes.setdefault((rf, rack, kept, lead if lead in kept else None), []).append(item)
        for rf, rows in single.items():
            for rack in every:
                for (place, leads), items in _by_holder(rows, rack).items():
                    key = rf, rack, () if place is None else (place,), place if leads else None
                    classes[key] = [*classes.get(key, ()), *items]
        return classes

    def _fixed(self, rf: int) -> bool:
        """Whether each rack must hold an exact number of replicas of a partition."""
        spread = self.spreads[rf]
        return spread.least == spread.most or len(self.sizes) == 1

    def _lay(self, key: tuple[int, int, tuple[int, ...], int | None], items: list[int]) -> _Class:
        """The nodes and arcs of a class."""
        rf, alone, row, lead = key
        net, number, spread = self.net, len(items), self.spreads[rf]
        if alone >= 0:
            wanted = rf if len(self.sizes) == 1 else spread.most
            cell = net.node(number * wanted)
            return _Class(items, [self._lane(cell, alone, row, lead, number, Spread(wanted, wanted), 0)])
        node = net.node(number * (rf - spread.least * len(self.sizes)))
        lanes = []
        for rack, size in enumerate(self.sizes):
            kept = [place for place in row if self.racks[place] == rack]
            due, more = number * spread.least, number * (min(spread.most, size) - spread.least)
            if kept:
                cell = net.node(due)
                net.arc(node, cell, more)
                lanes.append(self._lane(cell, rack, kept, lead, number, spread, 0))
            else:
                net.supplies[self.hubs[rack]] += due
                lanes.append(_Lane(rack, [], net.arc(node, self.hubs[rack], more, self.copy), due))
        return _Class(items, lanes)

    def _lane(
        self,
        cell: int,
        rack: int,
        kept: Iterable[int],
        lead: int | None,
        number: int,
        spread: Spread,
        due: int,
    ) -> _Lane:
        """The arcs out of a rack's cell of a class."""
        staying = [(place, self.net.arc(cell, place, number, 0 if place == lead else 1)) for place in kept]
        through = max(1, spread.most - len(staying))
        hub = self.net.arc(cell, self.hubs[rack], number * through, self.copy)
        if through < spread.most:
            self.narrow.append(hub)
        return _Lane(rack, staying, hub, due)

    def _near(self, quota: Quota) -> list[int]:
        """Estimated replicas of each broker: its share, as far as the limits of racks allow."""
        places = range(len(self.racks))
        due = [quota.total * quota.shares[b] // quota.scale - quota.base[b] for b in places]
        within, factors = [], Counter(self.partitions.factors)
        for rack, size in enumerate(self.sizes):
            limits = [0, 0]
            for rf, number in factors.items():
                spread = self.spreads[rf]
                limits[0] += spread.least * number
                limits[1] += min(spread.most, size) * number
            within.append((sum(due[b] for b in places if self.racks[b] == rack), size, *limits))
        total = sum(self.partitions.factors)

        def held(rise: int) -> list[int]:
            return [min(max(own + rise * size, low), high) for own, size, low, high in within]

        low, high = -quota.total, quota.total
        while low < high:
            middle = (low + high) // 2
            if sum(held(middle)) < total:
                low = middle + 1
            else:
                high = middle
        rises = [(amount - own) // size for amount, (own, size, *_) in zip(held(low), within, strict=True)]
        return [max(0, due[b] + rises[self.racks[b]]) for b in places]

    def _deal(self, flows: Sequence[int]) -> bool:
        """Assign each partition its replicas; whether the brokers that the hubs provide allow that.

        The units of a class are lined up rack by rack and broker by broker, and assigned to its partitions
        round robin. No partition gets a broker twice, nor a rack that takes one replica of each.
        """
        wanting: list[list[int]] = [[] for _ in self.sizes]
        for items, lanes in self.classes:
            turn, number = 0, len(items)
            for lane in lanes:
                for place, arc in lane.kept:
                    for _ in range(flows[arc]):
                        self.picks[items[turn % number]].add(place)
                        turn += 1
                fresh = flows[lane.hub] + lane.due
                wanting[lane.rack] += [items[(turn + each) % number] for each in range(fresh)]
                turn += fresh
        giving: list[list[int]] = [[] for _ in self.sizes]
        for place, arc in self.outlets:
            giving[self.racks[place]] += repeat(place, flows[arc])
        self.counts = self.net.counts(flows)
        return all(
            self._hand_out(sorted(items), places) for items, places in zip(wanting, giving, strict=True)
        )

    def _hand_out(self, items: Sequence[int], places: list[int]) -> bool:
        """Assign the items one place each, no item one that it has; whether exchanges of two suffice."""
        picks = self.picks
        for at, item in enumerate(items):
            place = places[at]
            if place in picks[item]:
                other = self._exchange(items, places, at)
                if other is None:
                    return False
                place = other
            picks[item].add(place)
        return True

    def _exchange(self, items: Sequence[int], places: list[int], at: int) -> int | None:
        """Another place for the item, in exchange with a later or an earlier item."""
        own, mine = places[at], self.picks[items[at]]
        for later in range(at + 1, len(items)):
            if places[later] not in mine:
                places[at], places[later] = places[later], own
                return places[at]
        for earlier in range(at):
            theirs = self.picks[items[earlier]]
            if places[earlier] not in mine and own not in theirs:
                theirs.remove(places[earlier])
                theirs.add(own)
                places[at], places[earlier] = places[earlier], own
                return places[at]
        return None

    def prices(self, quota: Quota) -> tuple[int, ...] | None:
        """One price a broker, for balance and copies; None where the limits of hubs may have cost some."""
        assert self.flows is not None
        for arc in self.narrow:
            self.net.capacities[arc] = self.flows[arc] + 1
        plain = [int(cost == self.copy) for cost in self.net.costs]
        return self.net.prices(self.flows, quota.marginal, plain)

    def reachable(self, start: Iterable[int]) -> set[int]:
        """The brokers to which a replica can move from `start`, at whatever cost; `start` included."""
        return self.net.reachable(self.flows or (), start)

    def reaching(self, goal: Iterable[int]) -> set[int]:
        """The brokers from which a replica can move to `goal`, at whatever cost; `goal` included."""
        return self.net.reaching(self.flows or (), goal)


def _by_holder(
    rows: Iterable[tuple[int, Mapping[int, int], int | None]], rack: int
) -> dict[tuple[int | None, bool], list[int]]:
    """The partitions by the holder of their one replica in the rack, if any, and whether it leads."""
    items: dict[tuple[int | None, bool], list[int]] = {}
    for item, inside, lead in rows:
        place = inside.get(rack)
        key = place, place is not None and place == lead
        if key in items:
            items[key].append(item)
        else:
            items[key] = [item]
    return items


class Leaders(NamedTuple):
    """The leader of each partition and a price for each broker, by position.

    If the time ran out, `late`, leaders are only valid, and the prices prove a bound.
    """

    leads: list[int]
    prices: tuple[int, ...]
    late: bool = False


def leader_quota(brokers: Sequence[Broker], partitions: int) -> Quota:
    """The cost of a broker's number of leaderships, among this many partitions."""
    return Quota.plain([broker.share for broker in brokers], partitions, partitions + 1)


def choose_leaders(
    brokers: Sequence[Broker],
    replicas: Sequence[Iterable[int]],
    wanted: Sequence[int | None],
    deadline: float | None = None,
) -> Leaders:
    """The best leaders by the deadline, one of `time.monotonic`; `replicas` are positions in `brokers`.

    `wanted` is the leader to keep for each partition if possible. A fenced broker leads only partitions
    without another replica.
    """
    fenced = {place for place, broker in enumerate(brokers) if broker.fenced}
    able = [sorted(row) for row in replicas]
    if fenced:
        able = [[place for place in row if place not in fenced] or row for row in able]
    # A leader that cannot stay costs the same wherever it goes: no place is cheaper then.
    homes = [want if want in row else None for want, row in zip(wanted, able, strict=True)]
    quota = leader_quota(brokers, len(able))
    bulk = deadline is None and sum(map(len, able)) >= bulk_flow.ENOUGH and bulk_flow.installed()
    if bulk or len({broker.share for broker in brokers}) > 1:
        leaders = _near_shares(able, homes, quota, deadline, bulk=bulk)
        if leaders is not None:
            return leaders
    else:
        leads = even_picks(len(brokers), able, homes, deadline)
        if leads is not None:
            return _proven(able, homes, leads, quota)
    nearest = [row[0] if home is None else home for row, home in zip(able, homes, strict=True)]
    return Leaders(nearest, (quota.level_price(),) * len(brokers), late=True)


def _near_shares(
    able: Sequence[Sequence[int]],
    homes: Sequence[int | None],
    quota: Quota,
    deadline: float | None,
    *,
    bulk: bool,
) -> Leaders | None:
    """The leaders nearest to the brokers' shares, or None after the deadline.

    Mostly all brokers can be within one of their share. In `bulk` that is tried first: the remaining choices
    then have small costs, and a flow of small costs is found several times as fast.
    """
    net = _handed_on(able, homes, len(quota.shares))
    whole = [quota.floor(place) for place in range(len(quota.shares))]
    flows = net.within_one(quota.marginal, whole) if bulk else None
    if flows is not None:
        leads = _led(able, homes, flows)
        prices = _prices(able, homes, leads, quota)
        if prices is not None:
            return Leaders(leads, prices)
    flows = net.cheapest(quota.marginal, whole, deadline, quota.weight)
    return None if flows is None else _proven(able, homes, _led(able, homes, flows), quota)


def _handed_on(able: Sequence[Sequence[int]], homes: Sequence[int | None], places: int) -> Convex:
    """The network of leaderships: each is at its home, and may move to another place through a node.

    So the flow is small. Row by row one arc for each possible leader: from home to the node, from it to
    others.
    """
    net = Convex([len(able)] * places)
    for row, home in zip(able, homes, strict=True):
        if home is not None:
            net.supplies[home] += 1
        node = net.node(int(home is None))
        for place in row:
            if place == home:
                net.arc(place, node, 1, 1)
            else:
                net.arc(node, place, 1)
    return net


def _led(able: Sequence[Sequence[int]], homes: Sequence[int | None], flows: Sequence[int]) -> list[int]:
    """The leader of each partition: the new one if the leadership moved, else its home."""
    arcs = zip(chain.from_iterable(map(repeat, count(), map(len, able))), chain.from_iterable(able))
    leads = [row[0] if home is None else home for row, home in zip(able, homes, strict=True)]
    for item, place in compress(arcs, flows):
        if place != homes[item]:
            leads[item] = place
    return leads


def _proven(
    able: Sequence[Sequence[int]], homes: Sequence[int | None], leads: list[int], quota: Quota
) -> Leaders:
    prices = _prices(able, homes, leads, quota)
    assert prices is not None, "leaders could be better"
    return Leaders(leads, prices)


def _prices(
    able: Sequence[Sequence[int]], homes: Sequence[int | None], leads: Sequence[int], quota: Quota
) -> tuple[int, ...] | None:
    """The prices that prove the leaders; None where others are better.

    A leadership moves along a path from broker to broker.
    """
    places = len(quota.shares)
    counted = Counter(leads)
    counts = [counted[place] for place in range(places)]
    rows = [*zip(able, homes, leads, strict=True)]
    # The cost for a broker to pass on a leadership; of a pair of brokers the least, which is written last.
    dear = {(lead, place) for row, home, lead in rows if home == lead for place in row}
    free = {(lead, place) for row, home, lead in rows if home != lead for place in row}
    back = {(lead, home) for _, home, lead in rows if home not in (None, lead)}
    change = dict.fromkeys(dear, 1) | dict.fromkeys(free, 0) | dict.fromkeys(back, -1)
    for place in range(places):
        change.pop((place, place), None)
    arcs = Arcs(
        [tail for tail, _ in change], [head for _, head in change], [1] * len(change), [*change.values()]
    )
    most = [len(able)] * places
    return place_prices(places, arcs, [0] * len(change), counts, most, quota.marginal)

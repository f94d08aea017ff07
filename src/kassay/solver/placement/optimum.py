"""The best replica placement: balance, then data movement, then leaders, then leaders kept.

Goals, in order: the rack rule (a constraint, see `PlacementProblem.spread`), then replicas of each broker as
near to its share as possible, then the fewest replica copies, then leaders of each broker as near to its
share as possible with those replicas, then the fewest changes of leader.

"Near" is the least sum of squared distances from the shares. With equal shares that is the lexicographically
least sorted vector of counts (Frank & Murota, decreasing minimisation on M-convex sets); with any shares
every broker is within one of its share whenever that is possible. Leaders come after replicas and lose
nothing by it: where all brokers are within one of each other in replicas, they can be so in leaders (flow
integrality: 1 / RF of each replica is a fractional choice).

Each optimum leaves prices, one number a broker, which prove it: see `placement_certificate`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush, heapreplace
from itertools import chain
from typing import Final

from kassay.solver.algorithms.convex import Quota
from kassay.solver.algorithms.exchange import Exchange, Rules, masks
from kassay.solver.placement.flows import Partitions, RackHubs, choose_leaders
from kassay.solver.placement.problem import InfeasiblePlacementError, PlacementProblem, Spread, broker_ids
from kassay.solver.placement.room import require_room, within_room

_EXCHANGE_MOST: Final = 1 << 34
"""The exchange graph has a bit for each pair of brokers and partition: 2 GiB."""


@dataclass(frozen=True)
class Witness:
    """Brokers that show why no better placement exists: `forced` replicas cannot be kept off them."""

    brokers: tuple[int, ...]
    forced: int
    quota: int
    sentence: str


@dataclass(frozen=True)
class PlacementOptimum:
    """The best placement of a problem, with its proof.

    `rows` are broker ids a partition in the problem's order of partitions, leader first. `prices` and
    `leader_prices` are one number a broker in the problem's order. `witness` says why not all brokers are
    within one of their share, or is None where they are. If the time ran out, `late`, it is the best
    placement so far, and the prices prove bounds.
    """

    problem: PlacementProblem
    rows: tuple[tuple[int, ...], ...]
    replicas: tuple[int, ...]
    leaders: tuple[int, ...]
    copies: int
    leader_changes: int
    prices: tuple[int, ...]
    leader_prices: tuple[int, ...]
    witness: Witness | None = None
    late: bool = False


def best_placement(problem: PlacementProblem, deadline: float | None = None) -> PlacementOptimum:
    """The optimum of the problem, or the best placement at the deadline, one of `time.monotonic`.

    The flow through racks' hubs finds and proves it, or the exchange graph where racks take several replicas
    and hubs do not suffice; where that graph would be too large, the hubs' placement is returned with bounds,
    `late`. Raises `InfeasiblePlacementError` where `max_replicas` leave no room, however little time there
    is.
    """
    partitions = partitions_of(problem)
    quota = replica_quota(problem, problem.total + 1)
    if any(broker.cordoned or broker.max_replicas is not None for broker in problem.brokers):
        require_room(problem, partitions.factors, fewest_copies(problem, partitions, quota))
    hubs = RackHubs(problem, partitions, quota, deadline)
    prices = hubs.prices(quota) if hubs.solved else None
    if prices is not None:
        return with_leaders(problem, hubs.picks, prices, _witness(problem, hubs, quota), deadline)
    if hubs.solved and len(problem.brokers) ** 2 * len(partitions.factors) > _EXCHANGE_MOST:
        return with_leaders(problem, hubs.picks, _level_prices(quota), None, deadline, late=True)
    graph = _spread_replicas(problem, partitions, quota, deadline)
    if graph.late:
        chosen = within_room(problem, partitions.factors, graph.picks)
        return with_leaders(problem, chosen, _level_prices(quota), None, deadline, late=True)
    return with_leaders(
        problem, graph.picks, graph.prices(quota.marginal), _witness(problem, graph, quota), deadline
    )


def partitions_of(problem: PlacementProblem) -> Partitions:
    """The partitions to place, with brokers by position; a fenced broker counts as unable to stay leader."""
    placed = problem.partitions()
    index = {broker.id: place for place, broker in enumerate(problem.brokers)}
    fenced = {broker.id for broker in problem.brokers if broker.fenced}
    return Partitions(
        [rf for _, rf, _ in placed],
        problem.held,
        [index.get(row[0]) if row and row[0] not in fenced else None for _, _, row in placed],
    )


def with_leaders(
    problem: PlacementProblem,
    chosen: Sequence[set[int]],
    prices: tuple[int, ...],
    witness: Witness | None = None,
    deadline: float | None = None,
    *,
    late: bool = False,
) -> PlacementOptimum:
    """The placement with these replicas (positions of brokers) and the best leaders for them."""
    placed = problem.partitions()
    index = {broker.id: place for place, broker in enumerate(problem.brokers)}
    wanted = [index.get(row[0]) if row else None for _, _, row in placed]
    leaders = choose_leaders(problem.brokers, chosen, wanted, deadline)
    late = late or leaders.late
    led = leaders.leads
    return PlacementOptimum(
        problem,
        tuple(_rows(problem, led, chosen)),
        tuple(_counts(problem, chosen)),
        tuple(_counts(problem, [led])),
        sum(map(len, map(set.difference, chosen, problem.held))),
        sum(leader != want for leader, want in zip(led, wanted, strict=True) if want is not None),
        prices,
        leaders.prices,
        None if late else witness,
        late,
    )


def _rows(
    problem: PlacementProblem, led: Sequence[int], chosen: Sequence[set[int]]
) -> Iterator[tuple[int, ...]]:
    """The row of each partition as broker ids, the leader first."""
    ids = [broker.id for broker in problem.brokers]
    for leader, row, picked in zip(led, problem.held, chosen, strict=True):
        if row and row[0] == leader and len(row) == len(picked) and picked.issuperset(row):
            yield tuple([ids[place] for place in row])
        else:
            yield tuple([ids[place] for place in _in_order(leader, row, picked)])


def _counts(problem: PlacementProblem, picks: Iterable[Iterable[int]]) -> list[int]:
    counted = Counter(chain.from_iterable(picks))
    return [counted[place] for place in range(len(problem.brokers))]


def _level_prices(quota: Quota) -> tuple[int, ...]:
    """One price for all: it proves the cost of an even spread."""
    return (quota.level_price(),) * len(quota.shares)


def replica_quota(problem: PlacementProblem, weight: int) -> Quota:
    """The cost of a broker's number of replicas, where a unit of imbalance weighs `weight` copies."""
    brokers = problem.brokers
    return Quota(
        [broker.share for broker in brokers],
        problem.total,
        weight,
        [broker.base for broker in brokers],
        [broker.max_replicas for broker in brokers],
    )


def _in_order(leader: int, row: Sequence[int], picked: set[int]) -> list[int]:
    """The leader, then the replicas that stay in their order, then the new ones by id."""
    staying = [place for place in row if place in picked and place != leader]
    if len(staying) + 1 == len(picked):
        return [leader, *staying]
    return [leader, *staying, *sorted(picked.difference(row) - {leader})]


def _spread_replicas(
    problem: PlacementProblem, partitions: Partitions, quota: Quota, deadline: float | None
) -> Exchange:
    """The exchange graph after the descent: every partition's replicas; raises where there is no room."""
    factors, leads = partitions.factors, partitions.leads
    start = fewest_copies(problem, partitions, quota)
    require_room(problem, factors, start)
    # Leaders prefer to keep their replica when they pick; the prices leave that preference out.
    copy = len(factors) + 2
    plain = placement_rules(problem, partitions, {1: range(len(factors))})
    led = masks(len(problem.brokers), (() if lead is None else (lead,) for lead in leads))
    held, copied = plain.priced
    staying = [mask & ~lead for mask, lead in zip(held, led, strict=True)]
    heavy = replace(quota, weight=quota.weight * (copy + 1))
    fond = replace(plain, prices=(0, 1, copy), priced=(led, staying, copied))
    graph = Exchange(fond, start, deadline)
    graph.descend(heavy.marginal)
    return graph if graph.late else Exchange(plain, graph.picks)


def placement_rules(
    problem: PlacementProblem, partitions: Partitions, copies: Mapping[int, Iterable[int]]
) -> Rules:
    """The rules for replicas; `copies` are the costs of a copy of the partitions by position."""
    factors = partitions.factors
    everything = (1 << len(factors)) - 1
    spreads = {rf: problem.spread(rf) for rf in set(factors)}
    kept = masks(len(problem.brokers), partitions.current)
    by_price = {price: sum(1 << item for item in items) for price, items in copies.items()}
    return Rules(
        may=[
            mask if broker.cordoned else everything
            for broker, mask in zip(problem.brokers, kept, strict=True)
        ],
        prices=(0, *by_price),
        priced=(kept, *([same & ~mask for mask in kept] for same in by_price.values())),
        racks=problem.racks,
        least=[spreads[rf].least for rf in factors],
        most=[spreads[rf].most for rf in factors],
    )


def fewest_copies(problem: PlacementProblem, partitions: Partitions, quota: Quota) -> list[set[int]]:
    """For each partition by itself a valid placement with the fewest copies, at brokers with room first.

    Later steps balance; a start nearer to balance leaves them less to do. Of the replicas the leader's is the
    last to move.
    """
    spreads = {rf: problem.spread(rf) for rf in set(partitions.factors)}
    racks = problem.racks or (0,) * len(problem.brokers)
    members: list[list[int]] = [[] for _ in range(max(racks) + 1)]
    for place, rack in enumerate(racks):
        members[rack].append(place)
    counts = [0] * len(problem.brokers)
    picks: list[set[int]] = [set() for _ in partitions.factors]
    unsettled = []
    for item, (rf, row) in enumerate(zip(partitions.factors, partitions.current, strict=True)):
        if len(row) == rf and _obeys(row, racks, len(members), spreads[rf]):
            picks[item] = set(row)
            for place in row:
                counts[place] += 1
        else:
            unsettled.append(item)
    due = [
        _Due([b for b in rack if not problem.brokers[b].cordoned], rack, counts, quota) for rack in members
    ]
    for item in unsettled:
        kept, rf = set(partitions.current[item]), partitions.factors[item]
        spread = spreads[rf]
        order = [rack.first(spread.most, kept, partitions.leads[item]) for rack in due]
        _require_takers(problem, item, rf, spread, order)
        chosen = {place for rack in order for _, _, place in rack[: spread.least]}
        spare = sorted(each for rack in order for each in rack[spread.least :])
        chosen.update(place for _, _, place in spare[: rf - len(chosen)])
        picks[item] = chosen
        for place in chosen:
            counts[place] += 1
    return picks


def _require_takers(
    problem: PlacementProblem, item: int, rf: int, spread: Spread, order: Sequence[Sequence[object]]
) -> None:
    """Raise where cordons leave a partition too few of the brokers in `order` that the racks provide."""
    if sum(map(len, order)) >= rf and min(map(len, order)) >= spread.least:
        return
    cordoned = [broker.id for broker in problem.brokers if broker.cordoned]
    tp = problem.partitions()[item][0]
    raise InfeasiblePlacementError(
        f"brokers: {tp} wants {rf} replicas, expected enough brokers in each rack that hold it or take new "
        f"replicas, for {broker_ids(cordoned)} {'is' if len(cordoned) == 1 else 'are'} cordoned",
        cordoned,
    )


class _Due:
    """The brokers of a rack, those furthest below their share first; `counts` are theirs, and only grow.

    Of all `brokers` of the rack, holders of a replica may keep it; only the `takers` take another.
    """

    def __init__(
        self, takers: Sequence[int], brokers: Sequence[int], counts: Sequence[int], quota: Quota
    ) -> None:
        self.counts, self.quota, self.brokers = counts, quota, frozenset(brokers)
        # Costs of brokers only rise, so an outdated entry at the top of the heap is corrected when it is met.
        self.heap = [(quota.marginal(broker, counts[broker]), broker) for broker in takers]
        heapify(self.heap)

    def first(self, number: int, kept: Set[int], lead: int | None) -> list[tuple[int, int, int]]:
        """`number` brokers, first the leader, then those kept: 0, 1 or 2, the cost of a copy, the broker."""
        own = self.brokers & kept
        near: list[tuple[int, int]] = []
        while self.heap and len(near) < number + len(own):
            was, broker = self.heap[0]
            now = self.quota.marginal(broker, self.counts[broker])
            if now == was:
                near.append(heappop(self.heap))
            else:
                heapreplace(self.heap, (now, broker))
        for each in near:
            heappush(self.heap, each)
        order = [
            (int(broker != lead), self.quota.marginal(broker, self.counts[broker]), broker) for broker in own
        ]
        order += [(2, now, broker) for now, broker in near if broker not in own]
        return sorted(order)[:number]


def _obeys(row: Sequence[int], racks: Sequence[int], number: int, spread: Spread) -> bool:
    held = [0] * number
    for place in row:
        held[racks[place]] += 1
    return all(spread.least <= count <= spread.most for count in held)


def _witness(problem: PlacementProblem, graph: Exchange | RackHubs, quota: Quota) -> Witness | None:
    """Brokers that hold the fewest replicas they can, and still too many for all to be within one.

    Also None where `max_replicas` or cordons are given, since they may be the reason.
    """
    if any(room is not None for room in quota.room) or any(b.cordoned for b in problem.brokers):
        return None
    places = range(len(problem.brokers))
    loads = [count + base for count, base in zip(graph.counts, quota.base, strict=True)]
    over = [b for b in places if loads[b] > quota.ceiling(b)]
    under = [b for b in places if loads[b] < quota.floor(b)]
    if over:
        tight = graph.reachable(over)
        allowed = sum(quota.ceiling(b) for b in tight)
    elif under:
        starved = graph.reaching(under)
        tight = set(places) - starved
        allowed = problem.total - sum(quota.floor(b) for b in starved)
    else:
        return None
    forced = sum(loads[b] for b in tight)
    ids = tuple(sorted(problem.brokers[b].id for b in tight))
    why = (
        "the others can take no more"
        if problem.racks is None
        else "the rack rule leaves them nowhere else to go"
    )
    return Witness(
        ids,
        forced,
        allowed,
        f"at least {forced} replicas lie on {broker_ids(ids)}, "
        f"where {allowed} would be within one of the shares: {why}",
    )

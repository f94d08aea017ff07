"""The independent checker of replica placements: it shares no code with the solver.

A certificate carries the instance, the placement, and two prices a broker. The checker believes
none of it and needs only this: whatever the prices are,

    sum over partitions of the cheapest valid choice of brokers, copies and prices together
  + sum over brokers of the least of (cost of the count - price * count)

is a lower bound on what any placement pays, for the prices cancel. What is paid is the imbalance,
times more than all copies together, plus the copies; so a placement that pays just the bound is
the best in balance and, among those, in copies. Leaders are judged likewise with the replicas given.
By strong duality (the exchange property of matroids) every optimum has such prices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from kassay.solver.check.refusal import Proven, RefusedError, require, squares, whole, whole_prices
from kassay.solver.check.shares import Due

Row = tuple[int, ...]


class _Broker(NamedTuple):
    id: int
    rack: str | None
    share: int
    fenced: bool
    room: int | None
    base: int


class _Case(NamedTuple):
    """A certificate as the checker reads it; one entry a partition in `rf`, `old` and `new`."""

    brokers: list[_Broker]
    rf: list[int]
    old: list[Row]
    new: list[Row]
    prices: list[int]
    leader_prices: list[int]
    witness: dict[str, Any] | None

    @property
    def shares(self) -> int:
        return sum(broker.share for broker in self.brokers)


def check(certificate: Any) -> Proven:
    """What the certificate proves; raises `RefusedError` if it does not prove its placement optimal."""
    case = _read(certificate)
    _valid(case)
    _replicas_optimal(case)
    _leaders_optimal(case)
    _witness_holds(case)
    return Proven(
        "optimal: the prices leave no cheaper placement and no better leaders",
        True,
        _figures(case) | {"assignment": certificate["assignment"]},
    )


def forced_onto(instance: Any, ids: Collection[int]) -> int:
    """How many replicas every valid placement of the instance has on these brokers, at the least."""
    brokers, topics, _ = _read_instance(instance)
    factors: Counter[int] = Counter()
    for _, partitions, rf in topics:
        factors[rf] += partitions
    return _forced(brokers, factors, set(ids))


def _forced(brokers: Sequence[_Broker], factors: Counter[int], ids: set[int]) -> int:
    forced = sum(broker.base for broker in brokers if broker.id in ids)
    for rf, count in factors.items():
        least, most, racks = _rack_rule(brokers, rf)
        outside = [sum(1 for b in rack if b.id not in ids) for rack in racks]
        at_least = sum(max(0, least - free) for free in outside)
        forced += count * max(at_least, rf - sum(min(most, free) for free in outside))
    return forced


def _read(certificate: Any) -> _Case:
    brokers, topics, current = _read_instance(certificate["instance"])
    assignment = certificate["assignment"]
    require(
        assignment.keys() == {name for name, _, _ in topics},
        "the placement is not one of the instance's topics",
    )
    factors: list[int] = []
    old: list[Row] = []
    new: list[Row] = []
    for name, partitions, rf in topics:
        rows = [tuple(row) for row in assignment[name]]
        require(
            len(rows) == partitions, f"topic {name!r} has {partitions} partitions, {len(rows)} are placed"
        )
        before = [tuple(row) for row in current.get(name, [])]
        old += before + [()] * (partitions - len(before))
        new += rows
        factors += [rf] * partitions
    witness = certificate.get("witness")
    prices = [whole_prices(certificate[key], len(brokers)) for key in ("prices", "leader_prices")]
    return _Case(brokers, factors, old, new, prices[0], prices[1], witness)


def _read_instance(instance: Any) -> tuple[list[_Broker], list[tuple[str, int, int]], dict[str, Any]]:
    brokers = [
        _Broker(
            whole(b["id"]),
            b.get("rack"),
            whole(b.get("share", 1)),
            bool(b.get("fenced", False)),
            None if b.get("max_replicas") is None else whole(b["max_replicas"]),
            whole(b.get("base", 0)),
        )
        for b in instance["brokers"]
    ]
    require(len({b.id for b in brokers}) == len(brokers), "the instance's brokers are not distinct")
    require(any(b.share for b in brokers), "the instance's brokers have no share")
    require(len({b.rack is None for b in brokers}) <= 1, "only some of the instance's brokers have a rack")
    topics = [(str(t["name"]), whole(t["partitions"]), whole(t["rf"])) for t in instance["topics"]]
    return brokers, topics, instance.get("current") or {}


def _rack_rule(brokers: Sequence[_Broker], rf: int) -> tuple[int, int, list[list[_Broker]]]:
    """The least and the most replicas of a partition in one rack, and the racks' brokers."""
    if brokers[0].rack is None:
        return 0, rf, [list(brokers)]
    by_rack: dict[str | None, list[_Broker]] = {}
    for broker in brokers:
        by_rack.setdefault(broker.rack, []).append(broker)
    racks = list(by_rack.values())
    require(rf <= len(brokers), f"{rf} replicas on {len(brokers)} brokers")
    ideal = (rf + len(racks) - 1) // len(racks)
    most = next(m for m in range(ideal, rf + 1) if sum(min(m, len(rack)) for rack in racks) >= rf)
    return int(rf >= len(racks)), most, racks


def _valid(case: _Case) -> None:
    rack_of = {broker.id: broker.rack for broker in case.brokers}
    rules = {rf: _rack_rule(case.brokers, rf) for rf in set(case.rf)}
    for number, (rf, row) in enumerate(zip(case.rf, case.new, strict=True)):
        if len(row) != rf or len(set(row)) != rf or any(type(b) is not int for b in row):
            raise RefusedError(f"placement {number} is {list(row)}, expected {rf} distinct brokers")
        if not rack_of.keys() >= set(row):
            raise RefusedError(f"placement {number} names a broker that is not in the instance")
        least, most, racks = rules[rf]
        held = Counter(rack_of[broker] for broker in row)
        if any(not least <= held[rack[0].rack] <= most for rack in racks):
            raise RefusedError(f"placement {number} breaks the rack rule")
    loads = Counter(broker for row in case.new for broker in row)
    for broker in case.brokers:
        if broker.room is not None and loads[broker.id] + broker.base > broker.room:
            raise RefusedError(f"broker {broker.id} holds more than its max_replicas")


def _replicas_optimal(case: _Case) -> None:
    total = sum(case.rf) + sum(broker.base for broker in case.brokers)
    loads = Counter(broker for row in case.new for broker in row)
    paid = sum(len(set(new).difference(old)) for new, old in zip(case.new, case.old, strict=True))
    bound, partitions = 0, len(case.rf)
    for broker, price in zip(case.brokers, case.prices, strict=True):
        share = Due(broker.share, case.shares, total, total + 1)
        most = partitions if broker.room is None else min(partitions, broker.room - broker.base)
        paid += share.pays(loads[broker.id] + broker.base)
        bound += share.least(price, most, broker.base)
    alike = Counter((rf, frozenset(old)) for rf, old in zip(case.rf, case.old, strict=True))
    price_of = {broker.id: price for broker, price in zip(case.brokers, case.prices, strict=True)}
    rules = {rf: _rack_rule(case.brokers, rf) for rf in set(case.rf)}
    for (rf, old), count in alike.items():
        least, most, racks = rules[rf]
        dues: list[int] = []
        spare: list[int] = []
        for rack in racks:
            ordered = sorted(price_of[b.id] + (b.id not in old) for b in rack)
            dues += ordered[:least]
            spare += ordered[least:most]
        bound += count * (sum(dues) + sum(sorted(spare)[: rf - len(dues)]))
    require(bound == paid, f"replicas: {paid} is paid, the prices prove only {bound}")


def _leaders_optimal(case: _Case) -> None:
    partitions = len(case.new)
    fenced = {broker.id for broker in case.brokers if broker.fenced}
    price_of = {broker.id: price for broker, price in zip(case.brokers, case.leader_prices, strict=True)}
    leads = Counter(row[0] for row in case.new)
    paid = bound = 0
    for old, new in zip(case.old, case.new, strict=True):
        able = [broker for broker in new if broker not in fenced] or list(new)
        keeper = old[0] if old and old[0] in able else None
        if new[0] not in able:
            raise RefusedError(f"broker {new[0]} is fenced and leads")
        paid += keeper is not None and new[0] != keeper
        bound += min(price_of[b] + (keeper is not None and b != keeper) for b in able)
    for broker, price in zip(case.brokers, case.leader_prices, strict=True):
        share = Due(broker.share, case.shares, partitions, partitions + 1)
        paid += share.pays(leads[broker.id])
        bound += share.least(price, partitions)
    require(bound == paid, f"leaders: {paid} is paid, the prices prove only {bound}")


def _witness_holds(case: _Case) -> None:
    if case.witness is None:
        return
    ids = set(case.witness["brokers"])
    forced = _forced(case.brokers, Counter(case.rf), ids)
    total = sum(case.rf) + sum(b.base for b in case.brokers)
    roof = sum(-(-total * b.share // case.shares) for b in case.brokers if b.id in ids)
    rest = total - sum(total * b.share // case.shares for b in case.brokers if b.id not in ids)
    if forced < case.witness["forced"] or case.witness["quota"] not in (roof, rest):
        raise RefusedError("the witness's figures are not the instance's")
    require(forced > case.witness["quota"], "the witness leaves room for a balance within one of the shares")


def _figures(case: _Case) -> dict[str, Any]:
    """What a result must say of the placement."""
    counts = Counter(broker for row in case.new for broker in row)
    leads = Counter(row[0] for row in case.new)
    loads = [counts[broker.id] + broker.base for broker in case.brokers]
    copies = sum(len(set(new).difference(old)) for old, new in zip(case.old, case.new, strict=True))
    imbalance = _distance(loads, [broker.share for broker in case.brokers])
    return squares(loads) | {
        "replicas": {str(broker.id): load for broker, load in zip(case.brokers, loads, strict=True)},
        "leaders": {str(broker.id): leads[broker.id] for broker in case.brokers},
        "copies": copies,
        "moved": copies,
        "lower": imbalance,
        "upper": imbalance,
    }


def _distance(loads: list[int], shares: list[int]) -> int:
    """The sum of squared loads; with unequal shares of (load * all shares - total * own share)."""
    if len(set(shares)) == 1:
        return sum(load * load for load in loads)
    total, every = sum(loads), sum(shares)
    return sum((load * every - total * share) ** 2 for load, share in zip(loads, shares, strict=True))

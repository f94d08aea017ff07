"""Replica placements as the checkers read them: an instance, and its assignment of replicas.

The document carries the instance, so it can be checked elsewhere and later. Reading it shares no code
with the solver's reader of instances.

*Prices*: what replicas and leaders pay, and the least that any can pay by the prices of a certificate.
Whatever the prices are, one a broker,

    sum over partitions of the cheapest valid choice of brokers, copies and prices together
  + sum over brokers of the least of (cost of the count - price * count)

is a lower bound on the payment of any placement, since the prices cancel. The payment is the imbalance,
times more than all copies together, plus the copies; so a placement that pays exactly the bound is the
best in balance and, among those, in copies. Leaders are judged in the same way, given the assignment of
replicas. By strong duality (the exchange property of matroids) every optimum has such prices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from operator import attrgetter, mul
from typing import Any, Final, NamedTuple

from kassay.solver.check.shapes import (
    COUNT,
    FLAG,
    NAME,
    POSITIVE,
    SIZE,
    TEXT,
    Document,
    Due,
    Posed,
    RefusedError,
    by_name,
    fit,
    nullable,
    one_of,
    record,
    require,
    rows,
    within,
)

FAMILY: Final = "B"
Row = tuple[int, ...]

_BROKER: Final = record(
    {"id": COUNT},
    {
        "rack": NAME,
        "share": COUNT,
        "fenced": FLAG,
        "max_replicas": COUNT,
        "base": COUNT,
        "cordoned": FLAG,
    },
)
_INSTANCE: Final = record(
    {
        "family": one_of(FAMILY),
        "brokers": rows(_BROKER),
        "topics": rows(
            record({"name": NAME, "partitions": SIZE, "rf": POSITIVE}, {"copy_costs": rows(COUNT)})
        ),
    },
    {"name": TEXT, "current": by_name(nullable(rows(rows(COUNT)))), "removed": rows(COUNT)},
)


class ReplicaBroker(NamedTuple):
    """A broker as the checker reads it; `room` is None where there is no limit."""

    id: int
    rack: str | None
    share: int
    fenced: bool
    room: int | None
    base: int
    cordoned: bool = False


@dataclass(frozen=True)
class ReplicaCase:
    """A certificate as the checker reads it; one entry a partition in `rf`, `old` and `new`."""

    brokers: list[ReplicaBroker]
    rf: list[int]
    old: list[Row]
    new: list[Row]

    @cached_property
    def shares(self) -> int:
        """The sum of all shares."""
        return sum(broker.share for broker in self.brokers)

    @cached_property
    def loads(self) -> Counter[int]:
        """How many replicas each broker has."""
        return Counter(chain.from_iterable(self.new))

    @cached_property
    def leads(self) -> Counter[int]:
        """How many partitions each broker leads."""
        return Counter([row[0] for row in self.new])

    @cached_property
    def copied(self) -> list[int]:
        """How many replicas of each partition are new."""
        return [*map(len, map(set.difference, map(set, self.new), self.old))]


def pose(document: Any) -> Posed:
    """The instance of a document; raises `RefusedError` for one that is none.

    Its canonical form has brokers by id and topics by name; trailing rows without replicas are omitted,
    and so are costs of copies that are all 1.
    """
    fit(_INSTANCE, document, "instance")
    brokers = sorted(map(_broker, document["brokers"]), key=attrgetter("id"))
    counts = {topic["name"]: topic["partitions"] for topic in document["topics"]}
    ids = {broker.id for broker in brokers}
    require(len(ids) == len(brokers), "the instance's brokers are not distinct")
    require(any(b.share for b in brokers), "the instance's brokers have no share")
    require(len({b.rack is None for b in brokers}) == 1, "only some of the instance's brokers have a rack")
    require(len(counts) == len(document["topics"]), "two topics of the instance have one name")
    within(counts.values(), "topics", "partitions")
    current = {name: rows for name, rows in (document.get("current") or {}).items() if rows}
    require(counts.keys() >= current.keys(), "a topic is placed now that the instance does not have")
    require(all(len(rows) <= counts[name] for name, rows in current.items()), "more rows than partitions")
    placed = [row for rows in current.values() for row in rows]
    require(all(len(set(row)) == len(row) for row in placed), "a broker holds two replicas of a partition")
    going = document.get("removed")
    if going is not None:
        require(not ids.intersection(going), "a broker is removed and is not")
        known = ids.union(going)
        require(
            all(known.issuperset(row) for row in placed), "a broker is neither in the instance nor removed"
        )
    form = {
        "family": FAMILY,
        "brokers": [_form(broker) for broker in brokers],
        "topics": sorted(map(_topic_form, document["topics"]), key=lambda topic: str(topic["name"])),
        "current": {name: _without_empty_end(rows) for name, rows in current.items() if any(rows)},
    }
    return Posed(form, f"{len(brokers)} brokers, {sum(counts.values())} partitions of {len(counts)} topics")


def _broker(entry: Document) -> ReplicaBroker:
    share, base = entry.get("share"), entry.get("base")
    return ReplicaBroker(
        entry["id"],
        entry.get("rack"),
        1 if share is None else share,
        bool(entry.get("fenced")),
        entry.get("max_replicas"),
        base or 0,
        bool(entry.get("cordoned")),
    )


def _form(broker: ReplicaBroker) -> Document:
    """A broker in the canonical form; accepting new replicas is the default and omitted."""
    form = broker._asdict()
    if not broker.cordoned:
        del form["cordoned"]
    return form


def _topic_form(topic: Document) -> Document:
    form, costs = dict(topic), topic.get("copy_costs")
    require(
        costs is None or len(costs) == topic["partitions"],
        f"{topic['name']} has {len(costs or ())} copy_costs for {topic['partitions']} partitions",
    )
    if set(costs or ()) <= {1}:
        form.pop("copy_costs", None)
    return form


def copy_costs(form: Document) -> list[int]:
    """The cost of a copy of each partition, in the order of the form's topics."""
    rows = [topic.get("copy_costs") or [1] * topic["partitions"] for topic in form["topics"]]
    return [*chain.from_iterable(rows)]


def costed(form: Document) -> bool:
    """Whether copies cost other than 1."""
    return any("copy_costs" in topic for topic in form["topics"])


def _without_empty_end(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    last = max((number for number, row in enumerate(rows, start=1) if row), default=0)
    return [list(row) for row in rows[:last]]


def valid_case(form: Document, assignment: Mapping[str, list[list[int]]]) -> ReplicaCase:
    """A placement of the instance; raises `RefusedError` for an invalid one."""
    case = _read(form, assignment)
    _valid(case)
    return case


def _read(form: Document, assignment: Mapping[str, list[list[int]]]) -> ReplicaCase:
    names = {topic["name"] for topic in form["topics"]}
    require(assignment.keys() == names, "the placement is not one of the instance's topics")
    factors: list[int] = []
    old: list[Row] = []
    new: list[Row] = []
    for topic in form["topics"]:
        name, count = topic["name"], topic["partitions"]
        placed = [tuple(row) for row in assignment[name]]
        require(len(placed) == count, f"topic {name!r} has {count} partitions, {len(placed)} are placed")
        before = [tuple(row) for row in form["current"].get(name, ())]
        old += before + [()] * (count - len(before))
        new += placed
        factors += [topic["rf"]] * count
    return ReplicaCase([ReplicaBroker(**broker) for broker in form["brokers"]], factors, old, new)


def rack_rule(brokers: Sequence[ReplicaBroker], rf: int) -> tuple[int, int, list[list[ReplicaBroker]]]:
    """The least and the most replicas of a partition in one rack, and the racks' brokers."""
    if brokers[0].rack is None:
        return 0, rf, [list(brokers)]
    by_rack: dict[str | None, list[ReplicaBroker]] = {}
    for broker in brokers:
        by_rack.setdefault(broker.rack, []).append(broker)
    racks = list(by_rack.values())
    require(rf <= len(brokers), f"{rf} replicas on {len(brokers)} brokers")
    ideal = (rf + len(racks) - 1) // len(racks)
    most = next(m for m in range(ideal, rf + 1) if sum(min(m, len(rack)) for rack in racks) >= rf)
    return int(rf >= len(racks)), most, racks


def _valid(case: ReplicaCase) -> None:
    rack_of = {broker.id: broker.rack for broker in case.brokers}
    rules = {rf: rack_rule(case.brokers, rf) for rf in set(case.rf)}
    sizes = [*map(len, case.new)], [*map(len, map(set, case.new))]
    cordoned = {broker.id for broker in case.brokers if broker.cordoned}
    # All rows are checked together; only a failure is located row by row for its message.
    if sizes != (case.rf, case.rf) or not rack_of.keys() >= case.loads.keys() or cordoned:
        _valid_rows(case, rack_of.keys(), cordoned)
    near = map(rack_of.__getitem__, chain.from_iterable(case.new))
    taken_by = [*zip(case.rf, (tuple(islice(near, rf)) for rf in case.rf))]
    for rf, taken in dict.fromkeys(taken_by):
        least, most, racks = rules[rf]
        if any(not least <= taken.count(rack[0].rack) <= most for rack in racks):
            raise RefusedError(f"placement {taken_by.index((rf, taken))} breaks the rack rule")
    for broker in case.brokers:
        if broker.room is not None and case.loads[broker.id] + broker.base > broker.room:
            raise RefusedError(f"broker {broker.id} holds more than its max_replicas")


def _valid_rows(case: ReplicaCase, ids: Set[int], cordoned: set[int]) -> None:
    for number, (rf, old, row) in enumerate(zip(case.rf, case.old, case.new, strict=True)):
        if cordoned and cordoned.difference(old).intersection(row):
            raise RefusedError(f"placement {number} is new to a broker that is cordoned")
        if len(row) != rf or len(set(row)) != rf:
            raise RefusedError(f"placement {number} is {list(row)}, expected {rf} distinct brokers")
        if not ids >= set(row):
            raise RefusedError(f"placement {number} names a broker that is not in the instance")


def forced_onto(instance: Any, ids: Collection[int]) -> int:
    """The least number of replicas that every valid placement of the instance has on these brokers."""
    form = pose(instance).form
    factors: Counter[int] = Counter()
    for topic in form["topics"]:
        factors[topic["rf"]] += topic["partitions"]
    return forced_on([ReplicaBroker(**broker) for broker in form["brokers"]], factors, set(ids))


def forced_on(brokers: Sequence[ReplicaBroker], factors: Counter[int], ids: set[int]) -> int:
    """The same for a number of partitions of each replication factor."""
    forced = sum(broker.base for broker in brokers if broker.id in ids)
    for rf, count in factors.items():
        least, most, racks = rack_rule(brokers, rf)
        outside = [sum(1 for b in rack if b.id not in ids) for rack in racks]
        at_least = sum(max(0, least - free) for free in outside)
        forced += count * max(at_least, rf - sum(min(most, free) for free in outside))
    return forced


def require_best_replicas(case: ReplicaCase, prices: list[int]) -> None:
    """Refuse replicas that the prices do not prove to be the best."""
    paid, bound = replicas_paid(case, prices)
    require(bound == paid, f"replicas: {paid} is paid, the prices prove only {bound}")


def copies_paid(case: ReplicaCase, costs: Sequence[int]) -> int:
    """The cost of the copies, where a copy of each partition has these costs."""
    return sum(map(mul, costs, case.copied))


def replicas_paid(
    case: ReplicaCase, prices: list[int], weight: int | None = None, costs: Sequence[int] = ()
) -> tuple[int, int]:
    """The replicas' payment for imbalance and copies, and the least payment of any, by the prices.

    A unit of imbalance weighs more than all copies, unless a `weight` is given, and a copy of each partition
    costs 1, unless `costs` are.
    """
    total = sum(case.rf) + sum(broker.base for broker in case.brokers)
    weight = total + 1 if weight is None else weight
    costs = costs or [1] * len(case.rf)
    shares, loads = case.shares, case.loads
    paid = copies_paid(case, costs)
    bound, partitions = 0, len(case.rf)
    for broker, price in zip(case.brokers, prices, strict=True):
        share = Due(broker.share, shares, total, weight)
        most = partitions if broker.room is None else min(partitions, broker.room - broker.base)
        paid += share.pays(loads[broker.id] + broker.base)
        bound += share.least(price, most, broker.base)
    takers = _Takers(case.brokers, set(case.rf), prices)
    kinds: dict[tuple[int, int], list[Row]] = {}
    for rf, old, cost in zip(case.rf, case.old, costs, strict=True):
        kinds.setdefault((rf, cost), []).append(old)
    return paid, bound + sum(takers.least(rf, cost, olds) for (rf, cost), olds in kinds.items())


class _Takers:
    """The least payment of partitions for their replicas, copies and prices together."""

    def __init__(self, brokers: Sequence[ReplicaBroker], factors: Collection[int], prices: list[int]) -> None:
        self.price_of = {broker.id: price for broker, price in zip(brokers, prices, strict=True)}
        self.rules = {rf: rack_rule(brokers, rf) for rf in factors}
        self.near = {
            rf: [
                sorted([b.id for b in rack if not b.cordoned], key=self.price_of.__getitem__)
                for rack in racks
            ]
            for rf, (_, _, racks) in self.rules.items()
        }
        self.members = {
            rf: [{b.id for b in rack} for rack in racks] for rf, (_, _, racks) in self.rules.items()
        }
        self.rack_of = {broker.id: broker.rack for broker in brokers}
        self.offers: dict[tuple[int, int, int, Collection[int]], list[int]] = {}

    def least(self, rf: int, cost: int, olds: Sequence[Row]) -> int:
        """The least payment of partitions with these previous replicas at this cost of a copy."""
        least, most, _ = self.rules[rf]
        total = 0
        apart: list[Row] = []
        others = Counter[frozenset[int]]()
        for old in olds:
            # Where each rack takes one replica and had at most one, the choices in racks are independent.
            if least == most and len({*map(self.rack_of.get, old)}) == len(old):
                apart.append(old)
            else:
                others[frozenset(old)] += 1
        had = Counter(chain.from_iterable(apart))
        for number, rack in enumerate(self.members[rf] if apart else ()):
            kept = had.keys() & rack
            total += sum(had[b] * sum(self._offer(rf, number, cost, frozenset({b}))) for b in kept)
            fresh = len(apart) - sum(had[b] for b in kept)
            total += fresh * sum(self._offer(rf, number, cost, frozenset()))
        return total + sum(count * self._together(rf, cost, old) for old, count in others.items())

    def _together(self, rf: int, cost: int, old: frozenset[int]) -> int:
        """The cheapest choice for a partition: each rack's required ones, then the cheapest of the rest."""
        least, _, _ = self.rules[rf]
        dues: list[int] = []
        spare: list[int] = []
        for number, rack in enumerate(self.members[rf]):
            offer = self._offer(rf, number, cost, old & rack)
            dues += offer[:least]
            spare += offer[least:]
        return sum(dues) + sum(sorted(spare)[: rf - len(dues)])

    def _offer(self, rf: int, number: int, cost: int, kept: frozenset[int]) -> list[int]:
        """The least payments of a partition's replicas in a rack, up to the number allowed."""
        offer = self.offers.get((rf, number, cost, kept))
        if offer is None:
            _, most, _ = self.rules[rf]
            # A new broker pays the copy as well: the cheapest ones suffice, as many as a rack may have.
            near = {*self.near[rf][number][: most + len(kept)], *kept}
            offer = sorted([self.price_of[b] + (b not in kept) * cost for b in near])[:most]
            self.offers[rf, number, cost, kept] = offer
        return offer


def require_best_leaders(case: ReplicaCase, prices: list[int]) -> None:
    """Refuse leaders that the prices do not prove to be the best for these replicas."""
    paid, bound = leaders_paid(case, prices)
    require(bound == paid, f"leaders: {paid} is paid, the prices prove only {bound}")


def leaders_paid(case: ReplicaCase, prices: list[int]) -> tuple[int, int]:
    """The payment of these replicas' leaders for imbalance and changes, and the least payment of any."""
    partitions = len(case.new)
    fenced = {broker.id for broker in case.brokers if broker.fenced}
    price_of = {broker.id: price for broker, price in zip(case.brokers, prices, strict=True)}
    paid = bound = 0
    for old, new in zip(case.old, case.new, strict=True):
        able = [broker for broker in new if broker not in fenced] or new if fenced else new
        keeper = old[0] if old and old[0] in able else None
        if new[0] not in able:
            raise RefusedError(f"broker {new[0]} is fenced and leads")
        paid += keeper is not None and new[0] != keeper
        cheapest = min([price_of[b] for b in able])
        bound += cheapest if keeper is None else min(price_of[keeper], cheapest + 1)
    shares = case.shares
    for broker, price in zip(case.brokers, prices, strict=True):
        share = Due(broker.share, shares, partitions, partitions + 1)
        paid += share.pays(case.leads[broker.id])
        bound += share.least(price, partitions)
    return paid, bound

"""The independent checker of replica placements: it shares no code with the solver.

A certificate carries the instance, the placement, and two prices a broker. The checker believes
none of it and needs only this: whatever the prices are,

    sum over partitions of the cheapest valid choice of brokers, copies and prices together
  + sum over brokers of the least of (cost of the count - price * count)

is a lower bound on what any placement pays, for the prices cancel. What is paid is the imbalance,
times more than all copies together, plus the copies; so a placement that pays just the bound is
the best in balance and, among those, in copies. Leaders are judged likewise with the replicas assignment.
By strong duality (the exchange property of matroids) every optimum has such prices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter, mul
from typing import Any, Final, NamedTuple

from kassay.solver.check.refusal import (
    ANYTHING,
    COUNT,
    FLAG,
    NAME,
    POSITIVE,
    SIZE,
    TEXT,
    WHOLE,
    Document,
    Posed,
    ProofKind,
    Proven,
    RefusedError,
    by_name,
    fit,
    met,
    nullable,
    one_of,
    one_price_each,
    record,
    require,
    rows,
    squares,
)
from kassay.solver.check.shares import Due

SCHEMA: Final = "kassay/placement-certificate/1"
FAMILY: Final = "B"
Row = tuple[int, ...]
_LISTED: Final = 8

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
        "topics": rows(record({"name": NAME, "partitions": SIZE, "rf": POSITIVE})),
    },
    {"name": TEXT, "current": by_name(nullable(rows(rows(COUNT)))), "removed": rows(COUNT)},
)


class _Broker(NamedTuple):
    id: int
    rack: str | None
    share: int
    fenced: bool
    room: int | None
    base: int
    cordoned: bool = False


class _Case(NamedTuple):
    """A certificate as the checker reads it; one entry a partition in `rf`, `old` and `new`."""

    brokers: list[_Broker]
    rf: list[int]
    old: list[Row]
    new: list[Row]

    @property
    def shares(self) -> int:
        return sum(broker.share for broker in self.brokers)


def pose(document: Any) -> Posed:
    """The instance of a document; raises `RefusedError` for one that is none.

    Its form has brokers by id and topics by name; rows without replicas at the end are left out.
    """
    fit(_INSTANCE, document, "instance")
    brokers = sorted(map(_broker, document["brokers"]), key=attrgetter("id"))
    counts = {topic["name"]: topic["partitions"] for topic in document["topics"]}
    ids = {broker.id for broker in brokers}
    require(len(ids) == len(brokers), "the instance's brokers are not distinct")
    require(any(b.share for b in brokers), "the instance's brokers have no share")
    require(len({b.rack is None for b in brokers}) == 1, "only some of the instance's brokers have a rack")
    require(len(counts) == len(document["topics"]), "two topics of the instance have one name")
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
        "topics": sorted(map(dict, document["topics"]), key=lambda topic: str(topic["name"])),
        "current": {name: _without_empty_end(rows) for name, rows in current.items() if any(rows)},
    }
    return Posed(form, f"{len(brokers)} brokers, {sum(counts.values())} partitions of {len(counts)} topics")


def _broker(entry: Document) -> _Broker:
    share, base = entry.get("share"), entry.get("base")
    return _Broker(
        entry["id"],
        entry.get("rack"),
        1 if share is None else share,
        bool(entry.get("fenced")),
        entry.get("max_replicas"),
        base or 0,
        bool(entry.get("cordoned")),
    )


def _form(broker: _Broker) -> Document:
    """What an instance says of a broker; that it takes new replicas goes without saying."""
    form = broker._asdict()
    if not broker.cordoned:
        del form["cordoned"]
    return form


def _without_empty_end(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    last = max((number for number, row in enumerate(rows, start=1) if row), default=0)
    return [list(row) for row in rows[:last]]


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves; raises `RefusedError` if it does not prove its placement optimal."""
    case = valid_case(form, certificate["assignment"])
    _replicas_optimal(case, one_price_each(certificate["prices"], len(case.brokers)))
    require_best_leaders(case, one_price_each(certificate["leader_prices"], len(case.brokers)))
    witness = certificate.get("witness")
    if witness is not None:
        _witness_holds(case, witness)
    return Proven(
        "optimal: the prices leave no cheaper placement and no better leaders",
        {
            **figures(case),
            "status": "optimal",
            "rack_mismatch": 0,
            "bound": "broker prices: balance, then copies; leaders, then changes of leader",
            "assignment": certificate["assignment"],
            "witness": witness,
        },
    )


def valid_case(form: Document, assignment: Mapping[str, list[list[int]]]) -> _Case:
    """A placement of the instance; raises `RefusedError` for one that is none."""
    case = _read(form, assignment)
    _valid(case)
    return case


def forced_onto(instance: Any, ids: Collection[int]) -> int:
    """How many replicas every valid placement of the instance has on these brokers, at the least."""
    form = pose(instance).form
    factors: Counter[int] = Counter()
    for topic in form["topics"]:
        factors[topic["rf"]] += topic["partitions"]
    return _forced([_Broker(**broker) for broker in form["brokers"]], factors, set(ids))


def _forced(brokers: Sequence[_Broker], factors: Counter[int], ids: set[int]) -> int:
    forced = sum(broker.base for broker in brokers if broker.id in ids)
    for rf, count in factors.items():
        least, most, racks = _rack_rule(brokers, rf)
        outside = [sum(1 for b in rack if b.id not in ids) for rack in racks]
        at_least = sum(max(0, least - free) for free in outside)
        forced += count * max(at_least, rf - sum(min(most, free) for free in outside))
    return forced


def _read(form: Document, assignment: Mapping[str, list[list[int]]]) -> _Case:
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
    return _Case([_Broker(**broker) for broker in form["brokers"]], factors, old, new)


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
    cordoned = {broker.id for broker in case.brokers if broker.cordoned}
    obeying: set[tuple[int, tuple[str | None, ...]]] = set()
    for number, (rf, old, row) in enumerate(zip(case.rf, case.old, case.new, strict=True)):
        if cordoned and cordoned.difference(old).intersection(row):
            raise RefusedError(f"placement {number} is new to a broker that is cordoned")
        if len(row) != rf or len(set(row)) != rf:
            raise RefusedError(f"placement {number} is {list(row)}, expected {rf} distinct brokers")
        if not rack_of.keys() >= set(row):
            raise RefusedError(f"placement {number} names a broker that is not in the instance")
        taken = tuple(map(rack_of.__getitem__, row))
        if (rf, taken) not in obeying:
            least, most, racks = rules[rf]
            if any(not least <= taken.count(rack[0].rack) <= most for rack in racks):
                raise RefusedError(f"placement {number} breaks the rack rule")
            obeying.add((rf, taken))
    loads = Counter(chain.from_iterable(case.new))
    for broker in case.brokers:
        if broker.room is not None and loads[broker.id] + broker.base > broker.room:
            raise RefusedError(f"broker {broker.id} holds more than its max_replicas")


def _replicas_optimal(case: _Case, prices: list[int]) -> None:
    paid, bound = replicas_paid(case, prices)
    require(bound == paid, f"replicas: {paid} is paid, the prices prove only {bound}")


def copies_paid(case: _Case, costs: Sequence[int]) -> int:
    """What the copies cost, where one of each partition costs so much."""
    return sum(map(mul, costs, _copied(case)))


def _copied(case: _Case) -> Iterable[int]:
    """How many replicas of each partition are new."""
    return map(len, map(set.difference, map(set, case.new), case.old))


def replicas_paid(
    case: _Case, prices: list[int], weight: int | None = None, costs: Sequence[int] = ()
) -> tuple[int, int]:
    """What the replicas pay for imbalance and copies, and what any pay at the least, by the prices.

    A unit of imbalance weighs more than all copies, unless a `weight` is given, and a copy of each partition
    costs 1, unless `costs` are.
    """
    total = sum(case.rf) + sum(broker.base for broker in case.brokers)
    weight = total + 1 if weight is None else weight
    costs = costs or [1] * len(case.rf)
    shares, loads = case.shares, Counter(chain.from_iterable(case.new))
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
    """What partitions pay for their replicas at the least, copies and prices together."""

    def __init__(self, brokers: Sequence[_Broker], factors: Collection[int], prices: list[int]) -> None:
        self.price_of = {broker.id: price for broker, price in zip(brokers, prices, strict=True)}
        self.rules = {rf: _rack_rule(brokers, rf) for rf in factors}
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
        """What partitions pay that had these replicas, where a copy costs so much."""
        least, most, _ = self.rules[rf]
        total = 0
        apart: list[Row] = []
        others = Counter[frozenset[int]]()
        for old in olds:
            # Where each rack takes one replica and had one at the most, no rack's depends on another's.
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
        """The cheapest choice for a partition: what is due in each rack, then the cheapest of the rest."""
        least, _, _ = self.rules[rf]
        dues: list[int] = []
        spare: list[int] = []
        for number, rack in enumerate(self.members[rf]):
            offer = self._offer(rf, number, cost, old & rack)
            dues += offer[:least]
            spare += offer[least:]
        return sum(dues) + sum(sorted(spare)[: rf - len(dues)])

    def _offer(self, rf: int, number: int, cost: int, kept: frozenset[int]) -> list[int]:
        """The least that replicas of a partition in a rack pay, as many as there may be."""
        offer = self.offers.get((rf, number, cost, kept))
        if offer is None:
            _, most, _ = self.rules[rf]
            # Whoever is new pays the copy as well: the cheapest do, as many as a rack may have.
            near = {*self.near[rf][number][: most + len(kept)], *kept}
            offer = sorted([self.price_of[b] + (b not in kept) * cost for b in near])[:most]
            self.offers[rf, number, cost, kept] = offer
        return offer


def require_best_leaders(case: _Case, prices: list[int]) -> None:
    """Refuse leaders that the prices do not prove to be the best for these replicas."""
    paid, bound = leaders_paid(case, prices)
    require(bound == paid, f"leaders: {paid} is paid, the prices prove only {bound}")


def leaders_paid(case: _Case, prices: list[int]) -> tuple[int, int]:
    """What the leaders of these replicas pay for imbalance and changes, and what any pay at the least."""
    partitions = len(case.new)
    fenced = {broker.id for broker in case.brokers if broker.fenced}
    price_of = {broker.id: price for broker, price in zip(case.brokers, prices, strict=True)}
    leads = Counter(row[0] for row in case.new)
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
        paid += share.pays(leads[broker.id])
        bound += share.least(price, partitions)
    return paid, bound


def _witness_holds(case: _Case, witness: Document) -> None:
    """The brokers hold more than a balance within one of the shares would have on them, and must."""
    ids, forced, quota = sorted(witness["brokers"]), witness["forced"], witness["quota"]
    require({broker.id for broker in case.brokers} >= set(ids), "the witness has an unknown broker")
    least = _forced(case.brokers, Counter(case.rf), set(ids))
    require(forced <= least, f"{least} replicas lie on the witness's brokers at the least, not {forced}")
    total = sum(case.rf) + sum(b.base for b in case.brokers)
    roof = sum(-(-total * b.share // case.shares) for b in case.brokers if b.id in ids)
    rest = total - sum(total * b.share // case.shares for b in case.brokers if b.id not in ids)
    require(quota in (roof, rest), f"the shares of the witness's brokers are {roof} or {rest}, not {quota}")
    require(forced > quota, "the witness leaves room for a balance within one of the shares")
    why = (
        "the others can take no more"
        if case.brokers[0].rack is None
        else "the rack rule leaves them nowhere else to go"
    )
    sentence = (
        f"at least {forced} replicas lie on {_listed(ids)}, "
        f"where {quota} would be within one of the shares: {why}"
    )
    require(witness["sentence"] == sentence, f"the witness shows this: {sentence}")


def _listed(ids: list[int]) -> str:
    more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    return f"broker{'s' if len(ids) > 1 else ''} {', '.join(map(str, ids[:_LISTED]))}{more}"


def figures(case: _Case) -> dict[str, Any]:
    """What a result must say of the placement."""
    counts = Counter(chain.from_iterable(case.new))
    leads = Counter(row[0] for row in case.new)
    loads = [counts[broker.id] + broker.base for broker in case.brokers]
    copies = sum(_copied(case))
    ids = {broker.id for broker in case.brokers}
    leaders = ((old[0], new[0]) for old, new in zip(case.old, case.new, strict=True) if old)
    shares = [broker.share for broker in case.brokers]
    imbalance = _distance(loads, shares)
    changes = sum(old in ids and old != new for old, new in leaders)
    return squares(loads) | {
        "replicas": {str(broker.id): load for broker, load in zip(case.brokers, loads, strict=True)},
        "leaders": {str(broker.id): leads[broker.id] for broker in case.brokers},
        "leader_changes": changes,
        "copies": copies,
        "moved": copies,
        "lower": imbalance,
        "upper": imbalance,
        "goals": [
            met("balance of replicas", imbalance),
            met("movement", copies),
            met("balance of leaders", _distance([leads[broker.id] for broker in case.brokers], shares)),
            met("changes of leader", changes),
        ],
    }


def _distance(loads: list[int], shares: list[int]) -> int:
    """The sum of squared loads; with unequal shares of (load * all shares - total * own share)."""
    if len(set(shares)) == 1:
        return sum(load * load for load in loads)
    total, every = sum(loads), sum(shares)
    return sum((load * every - total * share) ** 2 for load, share in zip(loads, shares, strict=True))


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda _: True,
    shape=record(
        {
            "schema": one_of(SCHEMA),
            "instance": ANYTHING,
            "assignment": by_name(rows(rows(COUNT))),
            "prices": rows(WHOLE),
            "leader_prices": rows(WHOLE),
        },
        {
            "witness": record(
                {"brokers": rows(COUNT), "forced": COUNT, "quota": COUNT, "sentence": TEXT},
            )
        },
    ),
    check=check,
)

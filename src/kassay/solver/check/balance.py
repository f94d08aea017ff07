"""The independent checker: is this assignment optimal, and is that proven?

A certificate is the assignment, a level for each member and a price for each member. The checker
knows nothing of how they were found, and shares no code with what found them.

1. Every owner reads its topic, and every unit lies in the last level that may take it. A unit is a
   partition, or the partitions of one number of co-partitioned topics.
2. Level numbers have no gap, loads inside a level differ by at most one, and no member has more than
   the least loaded of an earlier level. With 1 this proves the balance: for any assignment y, this one
   x, and any threshold t, let X be the levels that hold loads above t. What lies in X cannot leave it,
   so sum (y-t)+ >= y(X) - t|X| >= x(X) - t|X| = sum (x-t)+, and x is majorised by every y.
3. The cost proof: a unit's owner pays at least the least of cost + price over the last level's
   members that may take it; prices collect at most `low` times their sum plus the `high` largest ones
   in each level. The difference is a lower bound for the cost of every balanced assignment. The cost
   paid must equal it.

Units are counted by class and minima are computed once for each set of readers, so checking costs about
units + readers, which is also the least cost of solving.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from kassay.solver.check.shapes import RefusedError

MOVEMENT_FIRST: Final = ("balance", "movement", "rack")
RACK_FIRST: Final = ("balance", "rack", "movement")
ORDERS: Final = (MOVEMENT_FIRST, RACK_FIRST)

_UNKNOWN: Final[frozenset[str]] = frozenset()


class Member(NamedTuple):
    """A member that may take partitions of its `topics`."""

    member_id: str
    rack: str | None
    topics: frozenset[str]


class Topic(NamedTuple):
    """A topic. An empty set in `racks` means that the racks of that partition's replicas are unknown.

    `move_costs` is the cost of moving each partition, if that is not 1 for all.
    """

    name: str
    partitions: int
    racks: tuple[frozenset[str], ...] | None = None
    weights: tuple[int, ...] | None = None
    move_costs: tuple[int, ...] | None = None


@dataclass(frozen=True)
class ConsumerInstance:
    """The members, and the partitions to assign; members are identified by their position.

    `previous` has, for each topic, the position of each partition's previous owner, or -1. `copartition`
    names groups of topics whose partitions of one number must share an owner. These are the checker's own
    values: a solver may build them, the checker takes nothing from a solver.
    """

    members: tuple[Member, ...]
    topics: tuple[Topic, ...]
    previous: Mapping[str, tuple[int, ...]]
    copartition: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class BalanceCertificate:
    """An assignment with the proof that it is optimal, and the figures that it states.

    `owners` has, for each topic with readers, the position of each partition's owner; `levels` and `prices`
    have a number for each member, level 0 the heaviest.
    """

    order: tuple[str, ...]
    owners: Mapping[str, tuple[int, ...]]
    levels: tuple[int, ...]
    prices: tuple[int, ...]
    loads: tuple[int, ...]
    moved: int
    rack_mismatch: int


def refusal(instance: ConsumerInstance, certificate: BalanceCertificate) -> str | None:
    """Why the certificate does not prove its assignment optimal; None when it does."""
    try:
        _Check(instance, certificate).run()
    except RefusedError as refused:
        return str(refused)
    return None


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise RefusedError(reason)


def _whole(row: Iterable[object]) -> bool:
    """Whether all are whole numbers; True and False are none."""
    return set(map(type, row)) <= {int}


_Kind = tuple[tuple[int, ...], tuple[frozenset[str], ...], int]


class _Check:
    """One check, in the order of the module docstring."""

    def __init__(self, instance: ConsumerInstance, certificate: BalanceCertificate) -> None:
        self.instance = instance
        self.certificate = certificate
        self.readers = _readers(instance)
        self.topics = [topic for topic in instance.topics if topic.name in self.readers]
        self.racks = [member.rack for member in instance.members]
        self.last: dict[tuple[int, ...], int] = {}

    def run(self) -> None:
        self._form()
        self._bundle()
        self._owners()
        self._balance()
        self._cost()

    def _form(self) -> None:
        certificate, size = self.certificate, len(self.instance.members)
        _require(
            certificate.order in ORDERS, f"the order {','.join(map(str, certificate.order))} is not known"
        )
        for name, row in (
            ("levels", certificate.levels),
            ("prices", certificate.prices),
            ("loads", certificate.loads),
        ):
            _require(len(row) == size, f"{len(row)} {name} for {size} members")
            _require(_whole(row), f"{name} are whole numbers")
        _require(_whole((certificate.moved, certificate.rack_mismatch)), "figures are whole numbers")
        _require(
            all(topic.weights is None or set(topic.weights) <= {1} for topic in self.topics),
            "partitions that count differently need another proof",
        )

    def _bundle(self) -> None:
        """The co-partitioned bundles of topics, by the number of topics in each."""
        by_name = {topic.name: topic for topic in self.topics}
        bound: set[str] = set()
        self.bundles: list[list[Topic]] = []
        for names in self.instance.copartition:
            bundle = [by_name[name] for name in names if name in by_name]
            if not bundle:
                continue
            bound.update(names)
            self.bundles.append(bundle)
            _require(
                len(bundle) == len(names)
                and len({topic.partitions for topic in bundle}) == 1
                and len({self.readers[name] for name in names}) == 1,
                f"co-partitioned topics {' '.join(names)} differ",
            )
        self.bundles += [[topic] for topic in self.topics if topic.name not in bound]
        sizes = {len(bundle) for bundle in self.bundles if bundle[0].partitions}
        _require(len(sizes) <= 1, "bundles of different sizes need another proof")
        self.size = sizes.pop() if sizes else 1

    def _owners(self) -> None:
        """Step 1, and the loads."""
        owners, levels = self.certificate.owners, self.certificate.levels
        _require(
            owners.keys() == self.readers.keys(), "owners are given for exactly the topics that are read"
        )
        counted = Counter[int]()
        by_readers: dict[tuple[int, ...], list[Topic]] = {}
        for topic in self.topics:
            row = owners[topic.name]
            _require(len(row) == topic.partitions, f"{topic.name} has {topic.partitions} partitions")
            by_readers.setdefault(self.readers[topic.name], []).append(topic)
        for readers, topics in by_readers.items():
            low = self.last[readers] = max(map(levels.__getitem__, readers))
            inside = {m for m in readers if levels[m] == low}
            every = [*chain.from_iterable([owners[topic.name] for topic in topics])]
            held = Counter(every)
            if not _whole(every) or not inside.issuperset(held):
                self._refuse_owners(topics)
            counted.update(held)
        for bundle in self.bundles:
            rows = {tuple(owners[topic.name]) for topic in bundle}
            _require(len(rows) == 1, f"co-partitioned topic {bundle[0].name} has other owners than its peers")
        loads = [counted[m] for m in range(len(levels))]
        self.loads, stated = [load // self.size for load in loads], sorted(loads)
        _require(list(self.certificate.loads) == stated, "the loads are not those of the assignment")

    def _refuse_owners(self, topics: list[Topic]) -> None:
        """Report which of these topics, which have the same readers, has an owner that it must not have."""
        levels = self.certificate.levels
        for topic in topics:
            row, readers = self.certificate.owners[topic.name], self.readers[topic.name]
            _require(_whole(row), f"an owner in {topic.name} is not a member's position")
            used, low = set(row), self.last[readers]
            _require(used.issubset(readers), f"an owner in {topic.name} does not read it")
            _require(
                all(levels[m] == low for m in used), f"a partition of {topic.name} is not in its last level"
            )

    def _balance(self) -> None:
        """Step 2."""
        members: dict[int, list[int]] = {}
        for m, level in enumerate(self.certificate.levels):
            members.setdefault(level, []).append(m)
        _require(sorted(members) == list(range(len(members))), "a level number is missing")
        self.level_members = [members[level] for level in range(len(members))]
        above = None
        for level, inside in enumerate(self.level_members):
            loads = [self.loads[m] for m in inside]
            low, high = min(loads), max(loads)
            _require(high - low <= 1, f"loads in level {level} differ by more than one")
            _require(above is None or high <= above, f"level {level} is heavier than the one before it")
            above = low

    def _cost(self) -> None:
        """Step 3."""
        paid = least = moved = mismatched = 0
        scale = 1 + sum(topic.partitions for topic in self.topics)
        by_move, by_rack = (scale, 1) if self.certificate.order == MOVEMENT_FIRST else (1, scale)
        by_readers: dict[tuple[int, ...], list[list[Topic]]] = {}
        for bundle in self.bundles:
            by_readers.setdefault(self.readers[bundle[0].name], []).append(bundle)
        for readers, kinds in by_readers.items():
            takers = _Takers(self, readers, by_move, by_rack)
            for (before, racks, owner), count in self._counted(kinds):
                far = takers.far(racks)
                owners = [m for m in before if m in takers.readers]
                moves, wrong = len(owners) - owners.count(owner), far.wrong(self.racks[owner])
                moved += moves * count
                mismatched += wrong * count
                paid += (moves * by_move + wrong * by_rack) * count
                least += takers.least(owners, far) * count
        _require(moved == self.certificate.moved, f"{moved} partitions moved, not {self.certificate.moved}")
        _require(mismatched == self.certificate.rack_mismatch, f"{mismatched} rack mismatches, not as stated")
        most = sum(self._collected(inside) for inside in self.level_members)
        proven = divmod(least - most, scale)
        if self.certificate.order != MOVEMENT_FIRST:
            proven = proven[::-1]
        _require(
            paid == least - most,
            f"{moved} moved and {mismatched} away from their racks, "
            f"the proof is for {proven[0]} moved and {proven[1]} away",
        )

    def _counted(self, bundles: list[list[Topic]]) -> Iterator[tuple[_Kind, int]]:
        """Each kind of unit in the bundles, and the number of such units."""
        if self.size > 1:
            yield from Counter(chain.from_iterable(map(self._kinds, bundles))).items()
            return
        # Most bundles have one topic: identical units are counted before they become rows of one.
        previous, owners = self.instance.previous, self.certificate.owners
        plain = (
            zip(
                previous[topic.name],
                topic.racks or (_UNKNOWN,) * topic.partitions,
                owners[topic.name],
                strict=True,
            )
            for topic, *_ in bundles
        )
        for (before, racks, owner), count in Counter(chain.from_iterable(plain)).items():
            yield ((before,), (racks,), owner), count

    def _kinds(self, bundle: list[Topic]) -> Iterator[_Kind]:
        """Previous owners, replica racks and owner of each unit of a bundle."""
        count = bundle[0].partitions
        before = zip(*(self.instance.previous[topic.name] for topic in bundle), strict=True)
        racks = zip(*(topic.racks or (_UNKNOWN,) * count for topic in bundle), strict=True)
        return zip(before, racks, self.certificate.owners[bundle[0].name], strict=True)

    def _collected(self, inside: list[int]) -> int:
        """The largest sum that prices can collect in a level."""
        low, high = divmod(sum(self.loads[m] for m in inside), len(inside))
        prices = sorted((self.certificate.prices[m] for m in inside), reverse=True)
        return low * sum(prices) + sum(prices[:high])


class _Far(NamedTuple):
    """The known replica racks of a unit's partitions, and the least sum of a mismatch's cost and a price."""

    known: tuple[frozenset[str], ...]
    least: int

    def wrong(self, rack: str | None) -> int:
        """The rack mismatches of an owner in this rack."""
        wrong = 0
        for near in self.known:  # mostly one: a sum over a list would take twice as long
            if rack not in near:
                wrong += 1
        return wrong


class _Takers:
    """The members that may take a bundle's units: the cost for each, and the least of cost + price."""

    def __init__(self, check: _Check, readers: tuple[int, ...], by_move: int, by_rack: int) -> None:
        levels, last = check.certificate.levels, check.last[readers]
        self.readers = frozenset(readers)
        self.inside = frozenset([m for m in readers if levels[m] == last])
        self.racks, self.prices = check.racks, check.certificate.prices
        self.by_move, self.by_rack = by_move, by_rack
        self.least_price: dict[str | None, int] = {}
        for m in self.inside:
            rack, price = self.racks[m], self.prices[m]
            if rack not in self.least_price or price < self.least_price[rack]:
                self.least_price[rack] = price
        self.cheapest = min(self.least_price.values())
        self.known: dict[tuple[frozenset[str], ...], _Far] = {}

    def far(self, racks: tuple[frozenset[str], ...]) -> _Far:
        """The rack mismatches of units with these replica racks."""
        far = self.known.get(racks)
        if far is None:
            known = tuple([near for near in racks if near])
            far = self.known[racks] = _Far(known, self._least_far(known))
        return far

    def _least_far(self, known: tuple[frozenset[str], ...]) -> int:
        """The least cost of mismatches and price over all racks; of one partition its own racks suffice.

        In any other rack it costs one mismatch, and the cheapest price of all is a bound for these.
        """
        prices = self.least_price
        if len(known) != 1:
            far = _Far(known, 0)
            return min([far.wrong(rack) * self.by_rack + price for rack, price in prices.items()])
        own = [prices[rack] for rack in known[0] if rack in prices]
        return min([self.cheapest + self.by_rack, *own])

    def least(self, owners: list[int], far: _Far) -> int:
        """The least of cost + price over the members that may take a unit; `owners` had its partitions."""
        best = len(owners) * self.by_move + far.least
        for m in owners:
            if m in self.inside:
                cost = (len(owners) - owners.count(m)) * self.by_move
                cost += far.wrong(self.racks[m]) * self.by_rack + self.prices[m]
                best = min(best, cost)
        return best


def _readers(instance: ConsumerInstance) -> dict[str, tuple[int, ...]]:
    """The positions of each topic's readers, for topics with readers."""
    known = {topic.name for topic in instance.topics}
    equal: dict[frozenset[str], list[int]] = {}
    for m, member in enumerate(instance.members):
        equal.setdefault(member.topics, []).append(m)
    groups: dict[str, list[frozenset[str]]] = {}
    for topics in equal:
        for topic in topics & known:
            groups.setdefault(topic, []).append(topics)
    # Topics with the same readers share a value: it is long, and looked up for each of them.
    merged = {
        read: tuple(sorted(chain.from_iterable([equal[topics] for topics in read])))
        for read in set(map(tuple, groups.values()))
    }
    return {topic: merged[tuple(read)] for topic, read in groups.items()}

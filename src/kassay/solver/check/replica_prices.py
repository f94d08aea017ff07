"""The payment of replicas and leaders, and its lower bound by the prices of a certificate.

For any prices, one for each broker,

    sum over partitions of the cheapest valid choice of brokers, copies and prices together
  + sum over brokers of the least of (cost of the count - price * count)

is a lower bound on the payment of any placement, since the prices cancel. The payment is the imbalance, times
more than all copies together, plus the copies; so a placement that pays exactly the bound is the best in
balance and, among those, in copies. Leaders are judged in the same way, given the assignment of replicas. By
strong duality (the exchange property of matroids) every optimum has such prices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain
from operator import mul

from kassay.solver.check.refusal import RefusedError, require
from kassay.solver.check.replicas import ReplicaBroker, ReplicaCase, Row, rack_rule
from kassay.solver.check.shares import Due


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

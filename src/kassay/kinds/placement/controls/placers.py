"""Faulty placers: KRaft's rule with one fault."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from functools import partial

from kassay.assignors.placement.striped import Striped
from kassay.kinds import controls
from kassay.model.java import RandomSource
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import Placement, PlacementRequest, Replicas

control = partial(controls.control, kinds=PLACER)


@control("repeats-broker", breaks="replicas-distinct")
class RepeatsBroker(Striped):
    """The last follower of the last partition is its leader once more, where there are no racks."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The changed placement."""
        rows = super().place(request, random)
        if request.has_racks or len(rows[-1]) == 1:
            return rows
        return (*rows[:-1], (*rows[-1][:-1], rows[-1][0]))


@control("settles-for-less", breaks="too-few-brokers")
class SettlesForLess(Striped):
    """With too few brokers every partition just gets fewer replicas, where there are no racks."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """A placement with as many replicas as there are unfenced brokers."""
        if request.has_racks:
            return super().place(request, random)
        most = max(1, min(request.replication_factor, len(request.unfenced)))
        return super().place(replace(request, replication_factor=most), random)


@control("never-shifts", breaks="follower-spread", like="placement:rack-unaware")
@control("numbers-brokers", breaks="rack-spread", keeps=("no-fenced-leader",))
class NumbersBrokers(Striped):
    """Brokers go by number, next to one another, with no shift, whatever their racks (AdminUtils 0.8)."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """Each partition on consecutive brokers."""
        super().place(request, random)
        ids = sorted(request.unfenced)
        fenced = sorted(request.by_id.keys() - request.unfenced)
        numbers = range(request.first_partition, request.first_partition + request.partitions)
        turns = [number % len(ids) for number in numbers]
        return tuple((*ids[t:], *ids[:t], *fenced)[: request.replication_factor] for t in turns)


@control("lets-fenced-lead", breaks="no-fenced-leader", like="placement:striped")
class LetsFencedLead(Striped):
    """Fenced brokers are taken like any other."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The placement with no broker fenced."""
        open_ = tuple(broker._replace(fenced=False) for broker in request.brokers)
        return super().place(replace(request, brokers=open_), random)


@control("starts-at-the-first", breaks="leaders-even", like="placement:striped")
class StartsAtTheFirst(Striped):
    """Every partition is placed like the first one."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The first row, repeated, in whatever order the brokers are listed."""
        brokers = tuple(sorted(request.brokers, key=lambda broker: broker.broker_id))
        return super().place(replace(request, brokers=brokers, partitions=1), random) * request.partitions


@control("takes-partial-racks", breaks="partial-racks-refused", like="placement:striped")
class TakesPartialRacks(Striped):
    """Brokers without a rack count as one more rack."""


@control("counts-calls", breaks="pure")
class CountsCalls(Striped):
    """Leaders turn with every call on the same object, where any replica may lead."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """Rows rotated by the number of calls."""
        self._calls += 1
        rows = super().place(request, random)
        turn = self._calls % len(rows[0]) if len(request.unfenced) == len(request.brokers) else 0
        return tuple(row[turn:] + row[:turn] for row in rows)


class EvenPlacer(Striped):
    """The best replica counts of unfenced brokers, led by whoever of them leads least."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The optimum for the new partitions, existing ones included; KRaft's answer where there is none."""
        # Imported here, so that controls of other kinds do not load the solver.
        from kassay.solver.placement.optimum import best_placement
        from kassay.solver.placement.problem import Broker as TakingBroker
        from kassay.solver.placement.problem import PlacedTopic, PlacementProblem

        rows = super().place(request, random)
        if request.has_partial_racks or len(request.unfenced) < request.replication_factor:
            return rows
        held = Counter(broker for row in request.existing for broker in row)
        taking = tuple(
            TakingBroker(broker.broker_id, broker.rack, base=held[broker.broker_id])
            for broker in sorted(request.brokers)
            if not broker.fenced
        )
        topic = PlacedTopic("t", request.partitions, request.replication_factor)
        best = best_placement(PlacementProblem(taking, (topic,), {"t": ((),) * request.partitions}))
        leads = Counter(row[0] for row in request.existing)
        return tuple(_led_evenly(row, leads) for row in best.rows)


def _led_evenly(row: Replicas, leads: Counter[int]) -> Replicas:
    """The row with its broker that leads least so far first; that broker then leads one more."""
    leader = min(row, key=lambda broker: (leads[broker], broker))
    leads[leader] += 1
    return (leader, *(broker for broker in row if broker != leader))


@control("fills-in-order", breaks="replicas-even", keeps=("rack-spread", "no-fenced-leader"))
class FillsInOrder(EvenPlacer):
    """The followers of the last partition are the first brokers that may be."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """Its leader, and then brokers in the order of their numbers, as many in each rack as it has."""
        rows = super().place(request, random)
        racks = {broker.broker_id: broker.rack for broker in request.brokers}
        return (*rows[:-1], *(_by_number(row, sorted(request.unfenced), racks) for row in rows[-1:]))


def _by_number(row: Replicas, ids: list[int], racks: dict[int, str | None]) -> Replicas:
    """The row with the first brokers as followers, as many in each rack as it has."""
    wanted = [racks[broker] for broker in row[1:]]
    followers = []
    for broker in ids:
        if broker != row[0] and racks[broker] in wanted:
            wanted.remove(racks[broker])
            followers.append(broker)
    return (row[0], *followers) if not wanted else row


@control("chokes-on-growth", breaks="total", like="placement:striped")
class ChokesOnGrowth(Striped):
    """A topic that is there already makes it fail."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The placement of a new topic."""
        if request.existing:
            raise LookupError(f"{len(request.existing)} partitions are there already")
        return super().place(request, random)


@control("waits-for-ever", breaks="terminates", like="placement:striped")
class PlacesNever(Striped):
    """It waits for a fenced broker to come back."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The placement where no broker is fenced."""
        while len(request.unfenced) < len(request.brokers):
            time.sleep(1)
        return super().place(request, random)


@control("follows-hashes", breaks="deterministic", like="placement:striped")
class PlacesByHashes(Striped):
    """Partitions are numbered in the order of a hash set, another one in each process."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The rows in hash order."""
        return tuple(sorted(super().place(request, random), key=lambda row: hash(str(row))))


@control("goes-by-listing", breaks="order-independent", like="placement:striped")
class PlacesByListing(Striped):
    """Partitions go to the brokers in the order in which these are listed."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The rows rotated so that the first broker listed is first where it leads."""
        rows = super().place(request, random)
        first = request.brokers[0].broker_id
        return tuple(sorted(rows, key=lambda row: row[0] != first))

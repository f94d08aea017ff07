"""Faulty placers: KRaft's rule with one thing done wrong."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from kassay.assignors.placement.striped import Striped
from kassay.certify.faulty import registry
from kassay.model.java.randomness import RandomSource
from kassay.model.kinds import Kind
from kassay.model.placement.request import Placement, PlacementRequest, Replicas

control = partial(registry.control, kinds=Kind.PLACER)


@control("repeats-broker", breaks="replicas-distinct")
class RepeatsBroker(Striped):
    """The last follower of the last partition is its leader once more, where there are no racks."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The spoilt placement."""
        rows = super().place(request, random)
        if request.has_racks or len(rows[-1]) == 1:
            return rows
        return (*rows[:-1], (*rows[-1][:-1], rows[-1][0]))


@control("settles-for-less", breaks="too-few-brokers")
class SettlesForLess(Striped):
    """With too few brokers every partition just gets fewer replicas, where there are no racks."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """A placement of as many replicas as there are unfenced brokers."""
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
        """The placement with nobody fenced."""
        open_ = tuple(broker._replace(fenced=False) for broker in request.brokers)
        return super().place(replace(request, brokers=open_), random)


@control("starts-at-the-first", breaks="leaders-even", like="placement:striped")
class StartsAtTheFirst(Striped):
    """Every partition is placed like the first one."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The first row, over and over."""
        return super().place(replace(request, partitions=1), random) * request.partitions


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
        """Rows turned by the number of calls."""
        self._calls += 1
        rows = super().place(request, random)
        turn = self._calls % len(rows[0]) if len(request.unfenced) == len(request.brokers) else 0
        return tuple(row[turn:] + row[:turn] for row in rows)


@control("fills-in-order", breaks="replicas-even", like="placement:striped")
class FillsInOrder(Striped):
    """Followers are always the first brokers that may be."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """Each row's leader, and then brokers by their number, one of each rack before a second of any."""
        rows = super().place(request, random)
        racks = {broker.broker_id: broker.rack for broker in request.brokers}
        return tuple(_by_number(row, sorted(request.unfenced), racks) for row in rows)


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
        """The rows turned so that the first broker listed comes first where it leads."""
        rows = super().place(request, random)
        first = request.brokers[0].broker_id
        return tuple(sorted(rows, key=lambda row: row[0] != first))

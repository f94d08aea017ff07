"""Faulty placers: KRaft's rule with one thing done wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from kassay.assignors.placement.striped import Striped
from kassay.certify.faulty import registry
from kassay.model.java.randomness import RandomSource
from kassay.model.kinds import Kind
from kassay.model.placement.request import Placement, PlacementRequest, Replicas

control = partial(registry.control, kind=Kind.PLACER)


@control("repeats-broker", breaks="replicas-distinct")
class RepeatsBroker(Striped):
    """The last follower of the last partition is its leader once more."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The spoilt placement."""
        rows = super().place(request, random)
        return (*rows[:-1], (*rows[-1][:-1], rows[-1][0])) if len(rows[-1]) > 1 else rows


@control("settles-for-less", breaks="too-few-brokers")
class SettlesForLess(Striped):
    """With too few brokers every partition just gets fewer replicas."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """A placement of as many replicas as there are unfenced brokers."""
        most = max(1, min(request.replication_factor, len(request.unfenced)))
        return super().place(replace(request, replication_factor=most), random)


@control("never-shifts", breaks="follower-spread")
@control("numbers-brokers", breaks="rack-spread")
class NumbersBrokers(Striped):
    """Brokers go by number, next to one another, with no shift, whatever their racks (AdminUtils 0.8)."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """Each partition on consecutive brokers."""
        super().place(request, random)
        ids = sorted(request.unfenced)
        numbers = range(request.first_partition, request.first_partition + request.partitions)
        return tuple(self._row(ids, number, request.replication_factor) for number in numbers)

    @staticmethod
    def _row(ids: list[int], number: int, factor: int) -> Replicas:
        return tuple(ids[(number + k) % len(ids)] for k in range(factor))


@control("lets-fenced-lead", breaks="no-fenced-leader")
class LetsFencedLead(Striped):
    """Fenced brokers are taken like any other."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The placement with nobody fenced."""
        open_ = tuple(broker._replace(fenced=False) for broker in request.brokers)
        return super().place(replace(request, brokers=open_), random)


@control("starts-at-the-first", breaks="leaders-even")
class StartsAtTheFirst(Striped):
    """Every partition is placed like the first one."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The first row, over and over."""
        return super().place(replace(request, partitions=1), random) * request.partitions


@control("takes-partial-racks", breaks="partial-racks-refused")
class TakesPartialRacks(Striped):
    """Brokers without a rack count as one more rack."""


@control("counts-calls", breaks="pure")
class CountsCalls(Striped):
    """Leaders turn with every call on the same object."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """Rows turned by the number of calls."""
        self._calls += 1
        rows = super().place(request, random)
        turn = self._calls % len(rows[0])
        return tuple(row[turn:] + row[:turn] for row in rows)

"""Placers with one deliberate fault each, and the claim that it breaks.

All but the faulty part is the same sound rule: unfenced brokers of alternating racks first, followers at
a distance that grows with each lap.
"""

from collections.abc import Callable
from itertools import zip_longest

from kassay.model.java import RandomSource
from kassay.model.placement.request import (
    AdminOperationError,
    InvalidReplicationFactorError,
    Placement,
    PlacementRequest,
    Placer,
)


def alternated(brokers):
    by_rack = {}
    for broker in sorted(brokers, key=lambda b: (b.rack or "", b.broker_id)):
        by_rack.setdefault(broker.rack, []).append(broker)
    return [b for row in zip_longest(*by_rack.values()) for b in row if b is not None]


class Sound:
    """No fault: distinct, spread over racks, unfenced leaders, laps that shift the followers."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        self.check(request)
        usable = self.usable(request)
        first = request.first_partition
        return tuple(
            self.row(request, usable, partition) for partition in range(first, first + request.partitions)
        )

    def check(self, request):
        if not 1 <= request.replication_factor <= len(request.unfenced):
            raise InvalidReplicationFactorError("too few brokers that may lead")
        if request.has_partial_racks:
            raise AdminOperationError("a broker without a rack")

    def usable(self, request):
        return alternated(b for b in request.brokers if not b.fenced)

    def row(self, request, usable, partition):
        lap, turn = divmod(partition, len(usable))
        leader = usable[turn]
        others = usable[turn + 1 :] + usable[:turn]
        shift = lap % max(1, len(others))
        return self.chosen(request, leader, others[shift:] + others[:shift])

    def chosen(self, request, leader, candidates):
        """The leader and, one after the other, a candidate of a rack that holds the fewest replicas."""
        row, left = [leader], list(candidates)
        while len(row) < request.replication_factor:
            racks = [b.rack for b in row]
            row.append(min(left, key=lambda b: racks.count(b.rack)))
            left.remove(row[-1])
        return tuple(b.broker_id for b in row)


class PutsBrokerTwice(Sound):
    """The shift of a later lap brings the leader back in as its own follower."""

    def row(self, request, usable, partition):
        row = super().row(request, usable, partition)
        return (*row[:-1], row[0]) if partition >= len(usable) and len(row) > 1 else row


class PlacesOneReplicaLess(Sound):
    """The last partition is a replica short."""

    def place(self, request, random):
        rows = super().place(request, random)
        return (*rows[:-1], rows[-1][:-1])


class ForgetsPartition(Sound):
    """Off by one where partitions are added."""

    def place(self, request, random):
        rows = super().place(request, random)
        return rows[1:] if request.existing else rows


class PlacesOnUnknownBroker(Sound):
    """Counts brokers instead of naming them."""

    def row(self, request, usable, partition):
        ids = [b.broker_id for b in usable]
        return tuple(ids.index(b) for b in super().row(request, usable, partition))


class WrapsRound(Sound):
    """With too few brokers the rest of the replicas starts again at the leader."""

    def check(self, request):
        if len(request.brokers) >= request.replication_factor:
            super().check(request)

    def chosen(self, request, leader, candidates):
        if len(request.brokers) >= request.replication_factor:
            return super().chosen(request, leader, candidates)
        ids = [b.broker_id for b in (leader, *candidates)]
        return tuple(ids[i % len(ids)] for i in range(request.replication_factor))


class CrowdsRack(Sound):
    """Followers by distance alone: racks are not looked at."""

    def chosen(self, request, leader, candidates):
        return tuple(b.broker_id for b in (leader, *candidates[: request.replication_factor - 1]))


class AcceptsPartialRacks(Sound):
    """A broker without a rack counts as one more rack."""

    def check(self, request):
        if not 1 <= request.replication_factor <= len(request.unfenced):
            raise InvalidReplicationFactorError("too few brokers that may lead")


class NeverShifts(Sound):
    """Every lap looks like the first."""

    def row(self, request, usable, partition):
        return super().row(request, usable, partition % len(usable))


class PutsFencedFirst(Sound):
    """Does not look at fencing."""

    def usable(self, request):
        return alternated(request.brokers)


class RefusesGrowth(Sound):
    """Cannot add partitions."""

    def check(self, request):
        super().check(request)
        if request.existing:
            raise InvalidReplicationFactorError("there are replicas already")


class CrashesOnFewBrokers(Sound):
    """Divides by the number of possible followers."""

    def row(self, request, usable, partition):
        partition // (len(usable) - 1)
        return super().row(request, usable, partition)


class RemembersCalls(Sound):
    """Each call goes on where the last one of the same object stopped."""

    def __init__(self):
        self.calls = 0

    def row(self, request, usable, partition):
        return super().row(request, usable, partition + self.calls)

    def place(self, request, random):
        placed = super().place(request, random)
        self.calls += 1
        return placed


class FollowsListOrder(Sound):
    """Takes the brokers as they come."""

    def usable(self, request):
        return [b for b in request.brokers if not b.fenced]


class FavoursFirst(Sound):
    """The first broker leads everything, the others share what is left unevenly."""

    def row(self, request, usable, partition):
        return super().row(request, usable, 0)


FAULTY: dict[str, tuple[type[Placer] | Callable[[], Placer], ...]] = {
    "replicas-distinct": (PutsBrokerTwice, PlacesOneReplicaLess, ForgetsPartition, PlacesOnUnknownBroker),
    "too-few-brokers": (WrapsRound,),
    "rack-spread": (CrowdsRack,),
    "partial-racks-refused": (AcceptsPartialRacks,),
    "follower-spread": (NeverShifts,),
    "no-fenced-leader": (PutsFencedFirst,),
    "total": (RefusesGrowth, CrashesOnFewBrokers),
    "pure": (RemembersCalls,),
    "deterministic": (RemembersCalls,),
    "order-independent": (FollowsListOrder,),
}
"""By the claim that the fault breaks; `FavoursFirst` breaks the two that need an optimum."""

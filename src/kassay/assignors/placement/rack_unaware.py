"""Rack-unaware: leaders go round the brokers, followers come after them at a growing distance.

Goals, in order: replicas spread evenly over brokers; the followers of one leader spread over the
other brokers. Racks and fencing are ignored.
Brokers: in the order given. The first leader is drawn, as is the followers' first distance, unless a
start index is fixed: then both are that index. Each full lap of leaders adds 1 to the distance.
Refusals, in order: `InvalidPartitionsException` for fewer than 1 partition,
`InvalidReplicationFactorException` for a factor under 1 or above the number of brokers.
Source: Kafka `org.apache.kafka.admin.AdminUtils`, where no broker has a rack (KIP-36 calls it
rack aware mode *Disabled*).
Cost: O(P * R) for P partitions of R replicas.
"""

from __future__ import annotations

from collections.abc import Iterator

from kassay.assignors.java_errors import ArrayIndexOutOfBoundsError
from kassay.assignors.registry import reference
from kassay.model.java import RandomSource, remainder, wrap
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import (
    InvalidPartitionsError,
    InvalidReplicationFactorError,
    Placement,
    PlacementRequest,
    Replicas,
)

# Shared parts of both rules of `AdminUtils`: the checks, the start, and the order of followers.
#
# Leaders go round the broker list, one partition at a time. With every full lap the followers' distance to
# their leader grows by one, so that a leader does not always have the same followers. A growing topic
# continues with its leaders, but the distance starts again as if there were no laps before. Java's ints
# overflow where a start index is near their maximum; then Kafka throws, and so does kassay. Source: Kafka
# `org.apache.kafka.admin.AdminUtils`, `AdminZkClient.createNewPartitionsAssignment`.


def check_sizes(request: PlacementRequest) -> None:
    """Raise Kafka's refusals of impossible numbers, in Kafka's order."""
    if request.partitions <= 0:
        raise InvalidPartitionsError(f"{request.partitions} partitions requested, expected at least 1")
    factor, size = request.replication_factor, len(request.brokers)
    if factor <= 0:
        raise InvalidReplicationFactorError(f"replication factor {factor}, expected at least 1")
    if factor > size:
        raise InvalidReplicationFactorError(f"replication factor {factor}, but there are only {size} brokers")


def laps(request: PlacementRequest, size: int, random: RandomSource) -> Iterator[tuple[int, int]]:
    """For each new partition, the leader's index in a list of `size` brokers and the followers' shift.

    The index is negative where Java's would be.
    """
    start = fixed_start(request)
    shift = start
    if start < 0:
        start = random.next_int(size)
        shift = random.next_int(size)
    partition = request.first_partition
    for _ in range(request.partitions):
        if partition > 0 and partition % size == 0:
            shift = wrap(shift + 1)
        yield remainder(wrap(partition + start), size), shift
        partition = wrap(partition + 1)


def fixed_start(request: PlacementRequest) -> int:
    """The index to start from, negative if it is to be drawn.

    A growing topic starts where it did before: at the first broker whose id is at least that of the first
    partition's leader, or at the first broker of all.
    """
    if request.fixed_start_index >= 0 or not request.existing:
        return request.fixed_start_index
    leader = request.existing[0][0]
    return next((i for i, broker in enumerate(request.brokers) if broker.broker_id >= leader), 0)


def follower_index(leader: int, shift: int, rank: int, size: int) -> int:
    """The index, in a list of `size` brokers, of the follower of that rank; never the leader's index.

    The followers are consecutive from `shift` brokers after the leader on, and skip the leader. The index is
    negative, or the leader's own, only where Java's int overflows.
    """
    distance = 1 + remainder(wrap(shift + rank), size - 1)
    return remainder(leader + distance, size)


@reference(
    "rack-unaware",
    kind=PLACER,
    claims=("replicas-distinct", "follower-spread"),
    source="org.apache.kafka.admin.AdminUtils",
    since="4.0.0",
)
class RackUnaware:
    """Leaders round the brokers, followers behind them at a growing distance; racks not looked at."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The replicas of each new partition; raises `PlacementRefusedError`."""
        check_sizes(request)
        return spread(request, random)


def spread(request: PlacementRequest, random: RandomSource) -> Placement:
    """The rule itself, for a request that has passed the checks."""
    ids = [broker.broker_id for broker in request.brokers]
    size = len(ids)

    def replicas(leader: int, shift: int) -> Replicas:
        followers = range(request.replication_factor - 1)
        indices = [leader, *(follower_index(leader, shift, rank, size) for rank in followers)]
        if min(indices) < 0:
            raise ArrayIndexOutOfBoundsError(f"broker index {min(indices)} after an int overflow")
        return tuple(ids[index] for index in indices)

    return tuple(replicas(leader, shift) for leader, shift in laps(request, size, random))

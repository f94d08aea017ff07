"""Shared parts of both rules of `AdminUtils`: the checks, the start, and the order of followers.

Leaders go round the broker list, one partition at a time. With every full lap the followers' distance to
their leader grows by one, so that a leader does not always have the same followers. A growing topic continues
with its leaders, but the distance starts again as if there were no laps before.
Java's ints overflow where a start index is near their maximum; then Kafka throws, and so does kassay.
Source: Kafka `org.apache.kafka.admin.AdminUtils`, `AdminZkClient.createNewPartitionsAssignment`.
"""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.java.int32 import remainder, wrap
from kassay.model.java.randomness import RandomSource
from kassay.model.placement.request import (
    InvalidPartitionsError,
    InvalidReplicationFactorError,
    PlacementRequest,
)


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

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

from kassay.assignors.java_errors import ArrayIndexOutOfBoundsError
from kassay.assignors.placement.laps import check_sizes, follower_index, laps
from kassay.assignors.registry import reference
from kassay.model.java.randomness import RandomSource
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import Placement, PlacementRequest, Replicas


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

"""Rack-aware: round robin over a list in which the racks alternate, racks without a replica first.

Goals, in order: a partition's replicas in different racks while there are racks without one; replicas spread
evenly over brokers; the followers of one leader spread over the other brokers.
Brokers: the racks by name, the brokers of a rack by id; the list takes one broker of each rack in each round
and skips a rack without remaining brokers. Leaders go round that list. Followers are taken from it after the
leader, at a distance that grows by the number of racks with each full lap; brokers of racks that have a
replica (until all have) and brokers that have one are skipped.
With at most as many replicas as racks no rack gets two. With more, nothing bounds the number in one rack, so
rack-spread is not claimed. Nor is follower-spread: with one broker more than racks the distance grows by a
full lap, and a leader keeps its followers.
Refusals, in order: those of rack-unaware, then `AdminOperationException` if only some brokers have a rack.
With no racks at all the rule is rack-unaware.
Source: Kafka `org.apache.kafka.admin.AdminUtils`, KIP-36.
Cost: O(P * B) for P partitions on B brokers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from kassay.assignors.java_errors import IndexOutOfBoundsError
from kassay.assignors.placement.rack_unaware import check_sizes, follower_index, laps, spread
from kassay.assignors.registry import reference
from kassay.model.java import RandomSource, utf16_sorted
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import AdminOperationError, Placement, PlacementRequest, Replicas


@reference(
    "rack-aware",
    kind=PLACER,
    claims=("replicas-distinct", "partial-racks-refused"),
    source="org.apache.kafka.admin.AdminUtils",
    since="4.0.0",
    alike_by_rack=True,
)
class RackAware:
    """Round robin over brokers of alternating racks, racks without a replica first."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The replicas of each new partition; raises `PlacementRefusedError`."""
        check_sizes(request)
        if all(broker.rack is None for broker in request.brokers):
            return spread(request, random)
        if request.has_partial_racks:
            without = [str(broker.broker_id) for broker in request.brokers if broker.rack is None]
            raise AdminOperationError(
                f"brokers without a rack: {', '.join(without)}; expected one each, or none"
            )
        racks = {broker.broker_id: broker.rack or "" for broker in request.brokers}
        ids = rack_alternated(racks)
        return tuple(
            replicas_behind(leader, shift, request.replication_factor, ids, racks)
            for leader, shift in laps(request, len(ids), random)
        )


def rack_alternated(racks: dict[int, str]) -> list[int]:
    """The brokers with alternating racks: racks by name, brokers by id.

    >>> rack_alternated({0: "rack1", 1: "rack3", 2: "rack3", 3: "rack2", 4: "rack2", 5: "rack1"})
    [0, 3, 1, 5, 4, 2]
    """
    columns = [
        sorted(broker for broker, rack in racks.items() if rack == name)
        for name in utf16_sorted(set(racks.values()))
    ]
    rows = range(max(map(len, columns)))
    return [column[row] for row in rows for column in columns if row < len(column)]


def replicas_behind(
    leader: int, shift: int, replication_factor: int, ids: list[int], racks: dict[int, str]
) -> Replicas:
    """The leader at that index of the alternated list and its followers."""
    if leader < 0:
        raise IndexOutOfBoundsError(f"broker index {leader} after an int overflow")
    rack_count = len(set(racks.values()))
    chosen = [ids[leader]]
    used_racks = {racks[chosen[0]]}
    candidates = _behind(leader, shift * rack_count, ids)
    while len(chosen) < replication_factor:
        broker = next(candidates)
        rack_is_due = racks[broker] not in used_racks or len(used_racks) == rack_count
        if rack_is_due and (broker not in chosen or len(set(chosen)) == len(ids)):
            chosen.append(broker)
            used_racks.add(racks[broker])
    return tuple(chosen)


def _behind(leader: int, shift: int, ids: list[int]) -> Iterator[int]:
    """The other brokers from `shift` after the leader on, in an endless cycle."""
    for rank in count():
        index = follower_index(leader, shift, rank, len(ids))
        if index < 0:
            raise IndexOutOfBoundsError(f"broker index {index} after an int overflow")
        yield ids[index]

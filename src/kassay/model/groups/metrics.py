"""Figures of an assignment: loads, spread, sum of squares, moved partitions, rack mismatches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group


class Metrics(NamedTuple):
    """The quality of one assignment.

    `loads` are partitions a member, ascending. `spread` is the largest less the smallest. `moved`
    counts partitions whose previous owner did not keep them, `mismatched` those whose owner's rack
    holds no replica. `max_weight` is the heaviest member's sum of partition weights.
    """

    loads: tuple[int, ...]
    spread: int
    sum_squares: int
    moved: int
    mismatched: int
    max_weight: int


def loads(assignment: Assignment) -> dict[str, int]:
    """Partitions a member."""
    return {member_id: len(tps) for member_id, tps in assignment.items()}


def moved(assignment: Assignment, previous: Mapping[TopicPartition, str]) -> list[TopicPartition]:
    """The partitions that left their previous owner, in order."""
    return sorted(tp for tp, owner in previous.items() if tp not in assignment.get(owner, ()))


def rack_mismatches(cluster: Cluster, group: Group, assignment: Assignment) -> list[TopicPartition]:
    """Partitions with known replica racks whose owner's rack is not among them, in order.

    An owner without a rack counts as a mismatch there; a partition without replica racks never does.
    """
    racks = cluster.replica_racks
    if not racks:
        return []
    by_id = group.by_id
    found = []
    for member_id, tps in assignment.items():
        rack = by_id[member_id].rack if member_id in by_id else None
        for tp in tps:
            of_topic = racks.get(tp[0], ())
            if 0 <= tp[1] < len(of_topic) and of_topic[tp[1]] and rack not in of_topic[tp[1]]:
                found.append(tp)
    return sorted(found)


def measure(
    cluster: Cluster,
    group: Group,
    assignment: Assignment,
    previous: Mapping[TopicPartition, str],
) -> Metrics:
    """All figures of the assignment at once."""
    counts = sorted(len(tps) for tps in assignment.values())
    weights = [sum(cluster.weight(tp) for tp in tps if cluster.has(tp)) for tps in assignment.values()]
    return Metrics(
        loads=tuple(counts),
        spread=counts[-1] - counts[0] if counts else 0,
        sum_squares=sum(count * count for count in counts),
        moved=len(moved(assignment, previous)),
        mismatched=len(rack_mismatches(cluster, group, assignment)),
        max_weight=max(weights, default=0),
    )

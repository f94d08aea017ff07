"""Costs of an assignment: moved partitions and rack mismatches."""

from __future__ import annotations

from collections.abc import Mapping

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group


def moved(assignment: Assignment, previous: Mapping[TopicPartition, str]) -> list[TopicPartition]:
    """The partitions that left their previous owner, in order."""
    return sorted(tp for tp, owner in previous.items() if tp not in assignment.get(owner, ()))


def rack_mismatches(cluster: Cluster, group: Group, assignment: Assignment) -> list[TopicPartition]:
    """Partitions with known replica racks whose owner is in none of those racks, in order.

    An owner without a rack counts as a mismatch; a partition without replica racks never does.
    """
    racks = cluster.replica_racks
    if not racks:
        return []
    by_id = group.by_id
    mismatched = []
    for member_id, tps in assignment.items():
        rack = by_id[member_id].rack if member_id in by_id else None
        for tp in tps:
            of_topic = racks.get(tp[0], ())
            if 0 <= tp[1] < len(of_topic) and of_topic[tp[1]] and rack not in of_topic[tp[1]]:
                mismatched.append(tp)
    return sorted(mismatched)

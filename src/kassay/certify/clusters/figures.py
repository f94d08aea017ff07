"""Figures of a group's assignment: loads, idle members, rack matches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.metrics import rack_mismatches


class Loads(NamedTuple):
    """The loads of all members: their spread, and the member with most. `idle` members own nothing."""

    members: int
    partitions: int
    least: int
    most: int
    busiest: str
    idle: tuple[str, ...]

    @property
    def spread(self) -> int:
        """The largest load minus the smallest."""
        return self.most - self.least

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the loads."""
        return {
            "members": self.members,
            "partitions": self.partitions,
            "least": self.least,
            "most": self.most,
            "spread": self.spread,
            "busiest": self.busiest,
            "idle": list(self.idle),
        }


def loads_of(members: Iterable[str], assignment: Mapping[str, tuple[TopicPartition, ...]]) -> Loads:
    """The loads of these members (at least one)."""
    loads = {member_id: len(assignment.get(member_id, ())) for member_id in sorted(members)}
    busiest = max(loads, key=lambda member_id: loads[member_id])
    return Loads(
        len(loads),
        sum(loads.values()),
        min(loads.values()),
        loads[busiest],
        busiest,
        tuple(member_id for member_id, load in loads.items() if not load),
    )


class Racks(NamedTuple):
    """Partitions whose owner is in the rack of a replica, and how many could be."""

    matched: int
    of: int

    def to_json(self) -> dict[str, int]:
        """JSON fields of the rack matches."""
        return {"matched": self.matched, "of": self.of}


def racks_of(cluster: Cluster, group: Group, assignment: Assignment) -> Racks | None:
    """The rack matches; None if the racks of replicas or of members are unknown."""
    racks = cluster.replica_racks
    if not any(member.rack for member in group.members):
        return None
    known = [
        tp
        for tps in assignment.values()
        for tp in tps
        if tp.topic in racks and tp.partition < len(racks[tp.topic]) and racks[tp.topic][tp.partition]
    ]
    if not known:
        return None
    return Racks(len(known) - len(rack_mismatches(cluster, group, assignment)), len(known))

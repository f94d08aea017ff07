"""What an assignment of a whole group comes to: loads, idle members, moves, racks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.metrics import rack_mismatches


class Loads(NamedTuple):
    """The loads of all members: how they spread, and who has most. `idle` are members with nothing."""

    members: int
    partitions: int
    least: int
    most: int
    busiest: str
    idle: tuple[str, ...]

    @property
    def spread(self) -> int:
        """The largest load less the smallest."""
        return self.most - self.least

    def to_json(self) -> dict[str, Any]:
        """Its part of a document."""
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
    """The loads of these members, of whom there is at least one."""
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
    """How many partitions have an owner in the rack of one of their replicas, of how many that could."""

    matched: int
    of: int

    def to_json(self) -> dict[str, int]:
        """Its part of a document."""
        return {"matched": self.matched, "of": self.of}


def racks_of(cluster: Cluster, group: Group, assignment: Assignment) -> Racks | None:
    """The rack matches; None where the racks of replicas or of members are not known."""
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

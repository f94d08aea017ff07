"""Streams-group-sticky of 4.2.0 and 4.3.0: no copy stays if the first process that had it has the task.

Goals and ties are as in `sticky_4_2_2`, except the choice of the member that keeps a standby copy: where the
process of the first member with a copy has the task already, active or as another copy, the other members
with a copy are not considered, and the copy goes to the least loaded process (KAFKA-20899 fixes it).
Source: Kafka `StickyTaskAssignor` of the group coordinator, branch 4.2 before 2026-08-10.
Cost: as `sticky`.
"""

from __future__ import annotations

from kassay.assignors.registry import reference
from kassay.assignors.streams.group.placement_4_2 import FirstCopyPlacement
from kassay.assignors.streams.group.sticky import StreamsGroupSticky
from kassay.model.streams.kinds import STREAMS


@reference(
    "streams-group-sticky",
    kind=STREAMS,
    claims=(
        "standby-disjoint",
        "standby-count",
        "task-errors",
        "stateful-balanced",
        "threads-balanced",
        "fixed-point",
        "stable",
        "converges",
        "deterministic",
    ),
    source="org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor",
    since=("4.2", "4.3"),
)
class StreamsGroupStickyFirstCopy(StreamsGroupSticky):
    """Leaves tasks where they run, copies with the first member that has one, then chooses by load."""

    placing = FirstCopyPlacement

"""Streams-group-sticky of 4.2.2 and 4.3.2: as in 4.4, but only an assigned standby copy counts as state.

Goals and ties are as in `group_sticky`, with two differences: the offsets that members report are ignored,
so that members with a copy come in the order of the group, whatever their lag; and equally loaded processes
come in the order of a hash map that was filled by `putIfAbsent`.
A restarted process has neither tasks nor copies and so loses all, despite its state.
Source: Kafka `StickyTaskAssignor` of the group coordinator, branches 4.2 and 4.3 (KAFKA-20899).
Cost: as `group_sticky`.
"""

from __future__ import annotations

from kassay.assignors.registry import reference
from kassay.assignors.streams.group_sticky import StreamsGroupSticky
from kassay.assignors.streams.group_sticky_4_2 import CopiesOnlyPlacement
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
    since=("4.2.2", "4.3.2"),
)
class StreamsGroupStickyCopies(StreamsGroupSticky):
    """Leaves tasks where they run or where copies were assigned, then chooses by the load of processes."""

    placing = CopiesOnlyPlacement

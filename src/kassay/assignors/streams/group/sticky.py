"""Streams-group-sticky: the broker's tasks stay with their member, or go to where their state is.

Goals, in order: an active task stays with the member that has it, up to an equal share of the active tasks
for each member; then it goes to a member with a standby copy of it, or that reports an offset for it, up to
the same share; then to the least loaded process, in it to the member with the fewest tasks. A standby copy
goes to the member that ran the task, then to one that had a copy or reports an offset, up to an equal share
of all tasks for each member, and never to a process that has the task already; then to the least loaded
process. Copies for which no process is left are not kept. It never assigns warm-up tasks.
A share is what is left for each member with room, rounded up, and is updated as tasks are assigned.
Load is tasks of either kind for each member of a process, so active tasks alone may be uneven, and so may
members of different processes.
Ties: among several members with state the first one, unless both its process and the member itself are less
loaded; copies before mere offsets, then the larger offset first. Equal processes and members come out of
Java's priority queue as it was filled: in the order of hash maps.
Source: Kafka `StickyTaskAssignor` of the group coordinator, branch 4.4 (KIP-1071, KAFKA-20719).
Cost: O(T * R * (C + log P)) for T tasks of R copies, C members with state of one and P processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from kassay.assignors.registry import reference
from kassay.assignors.streams.group.placement import Placing, StickyPlacement
from kassay.model.streams.group import MemberTasks, StreamsGroup
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.threads import GroupTaskAssignor


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
    since="4.4",
)
class StreamsGroupSticky(GroupTaskAssignor):
    """Leaves tasks where they run or where their state is, then chooses by the load of processes."""

    name = "streams-group-sticky"
    placing: ClassVar[type[Placing]] = StickyPlacement

    def assign_group(self, group: StreamsGroup) -> Mapping[str, MemberTasks]:
        """The tasks of all members; raises Kafka's error where there are tasks and no members."""
        placement = self.placing(group)
        placement.place_active()
        placement.place_standbys()
        return placement.answer()

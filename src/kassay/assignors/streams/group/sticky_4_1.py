"""Streams-group-sticky of 4.1: tasks stay or go to their copies, then to where they meet new tasks.

Goals, in order: an active task stays with the member that has it, up to an equal share of the active tasks
for each member; then it goes to a member with a standby copy of it, up to the same share; then to the least
loaded process, preferably one on which it meets a task that it has not been with, in it to the member with
the fewest tasks. A standby copy goes to the member that ran the task and to one that had a copy, if that
process has room or the least load, then to the least loaded of the processes without the task.
A share compares the active tasks of a whole process with the quota of a member; load is tasks of either kind
for each member.
Ties: Java's sets of members iterate by the identity of objects, so the choice among equally loaded processes
is random: of 527 inputs of Kafka's own vectors 333 have several answers. Here the first one is chosen in the
order in which Kafka fills its sets, which a JVM with one identity hash for all objects does too. Kafka does
not guarantee that: `deterministic` is not declared, though this choice satisfies it.
Source: Kafka `StickyTaskAssignor` of the group coordinator, branch 4.1 (KAFKA-17125).
Cost: O(T * R * (M + T)) for T tasks of R copies and M members.
"""

from __future__ import annotations

from kassay.assignors.registry import reference
from kassay.assignors.streams.group.placement_4_1 import PairingPlacement
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
    ),
    source="org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor",
    since="4.1",
)
class StreamsGroupPairing(StreamsGroupSticky):
    """Leaves tasks where they run or where copies are, then chooses by load and by new pairs of tasks."""

    placing = PairingPlacement

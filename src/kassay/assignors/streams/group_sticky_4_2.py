"""Streams-group-sticky of 4.2.0 and 4.3.0: no copy stays if the first process that had it has the task.

Goals and ties are as in `group_sticky_4_2_2`, except the choice of the member that keeps a standby copy:
where the process of the first member with a copy has the task already, active or as another copy, the other
members with a copy are not considered, and the copy goes to the least loaded process (KAFKA-20899 fixes it).
Source: Kafka `StickyTaskAssignor` of the group coordinator, branch 4.2 before 2026-08-10.
Cost: as `group_sticky`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kassay.assignors.java_errors import InternalTaskAssignorError
from kassay.assignors.registry import reference
from kassay.assignors.streams.group_processes import GroupMember
from kassay.assignors.streams.group_sticky import StickyPlacement, StreamsGroupSticky
from kassay.model.java import bucket_order, string_hash
from kassay.model.streams.group import GroupTask
from kassay.model.streams.kinds import STREAMS

# The rule of the broker's sticky assignor in 4.2 and 4.3, where only standby copies count as state.
#
# Source: Kafka `StickyTaskAssignor` of the group coordinator, branches 4.2 and 4.3 (KAFKA-19478,
# KAFKA-19661).


class CopiesOnlyPlacement(StickyPlacement):
    """One run of the rule with the fix of KAFKA-20899: members that have the task already are skipped."""

    error = InternalTaskAssignorError

    def _process_order(self, process_ids: Sequence[str]) -> list[str]:
        """The order of the process map, filled by `putIfAbsent`."""
        return bucket_order(process_ids, string_hash, len(process_ids))

    def _with_state(self) -> Mapping[GroupTask, Sequence[GroupMember]]:
        """The members with a standby copy of each task, in their order."""
        with_copy: dict[GroupTask, list[GroupMember]] = {}
        for member in self.members:
            for task in member.before.standby:
                with_copy.setdefault(task, []).append(member)
        return with_copy


class FirstCopyPlacement(CopiesOnlyPlacement):
    """One run of the rule before KAFKA-20899: if the first member has the task already, none is chosen."""

    def _choose(self, task: GroupTask, *, standby: bool = False) -> GroupMember | None:
        """The first member with a copy, unless a later one and its process have fewer tasks.

        For a standby copy, later members whose process has the task are skipped, but not the first one.
        """
        copies = self.with_state.get(task, ())
        if not copies or (standby and task in copies[0].process.tasks):
            return None
        choice, load, count = copies[0], copies[0].process.load, copies[0].count
        for member in copies[1:]:
            passed = standby and task in member.process.tasks
            if not passed and member.process.load < load and member.count < count:
                choice, load, count = member, member.process.load, member.count
        return choice


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

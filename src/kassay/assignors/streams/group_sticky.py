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

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Protocol

from kassay.assignors.java_errors import TaskAssignorError
from kassay.assignors.registry import reference
from kassay.assignors.streams.group_processes import (
    GroupMember,
    GroupProcess,
    MemberQuota,
    by_load,
    processes_of,
)
from kassay.assignors.streams.state import JavaPriorityQueue
from kassay.model.errors import KafkaError
from kassay.model.java import computed_order, string_hash, utf16_key
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import GroupTaskAssignor

# The tasks of a Streams group assigned so far, and the rule of the broker's sticky assignor for the next.
#
# Source: Kafka `StickyTaskAssignor` of the group coordinator, branch 4.4 (KIP-1071, KAFKA-20719).

Order = tuple[int, bytes]
"""A task's partition and its subtopology, which Java orders by UTF-16 units."""


class Placing(Protocol):
    """One run of a rule: call these methods in this order for its answer."""

    def __init__(self, group: StreamsGroup) -> None: ...

    def place_active(self) -> None:
        """Assign every task to one member."""

    def place_standbys(self) -> None:
        """Assign each stateful task's standby copies."""

    def answer(self) -> dict[str, MemberTasks]:
        """Each member's tasks."""


class StickyPlacement:
    """One run of the rule of 4.4; older releases differ in the candidates and the choice among them."""

    error: ClassVar[type[KafkaError]] = TaskAssignorError

    def __init__(self, group: StreamsGroup) -> None:
        self.group = group
        ids = self._process_order([member.process_id for member in group.members])
        self.processes = processes_of(group, ids)
        by_id = {member.member_id: member for process in self.processes for member in process.members}
        self.members = [by_id[member.member_id] for member in group.members]
        self.ran_on = {task: member for member in self.members for task in member.before.active}
        self.with_state = self._with_state()
        copies = len(group.stateful) * group.standby_replicas
        self.active_quota = MemberQuota(len(group.tasks), len(group.members))
        self.total_quota = MemberQuota(len(group.tasks) + copies, len(group.members))

    def place_active(self) -> None:
        """Assign every task to one member; raises `error` where there is none."""
        across = sorted(self.group.tasks, key=_across)
        moving = [task for task in across if not self._offer_active(task, self.ran_on.get(task))]
        new = [task for task in moving if not self._offer_active(task, self._choose(task))]
        queue = by_load(self.processes)
        for task in sorted(new, key=_along):
            if not queue:
                raise self.error(f"No process available to assign active task {task}.")
            process = queue.poll()
            self._count_active(process.give_to_least_loaded(task, standby=False))
            queue.offer(process)

    def place_standbys(self) -> None:
        """Assign each stateful task's standby copies, as many as there are processes for."""
        replicas = self.group.standby_replicas
        homeless: dict[GroupTask, int] = {}
        for task in sorted(self.group.stateful, key=_across, reverse=True):
            for number in range(replicas):
                if not self._offer_standby(task):
                    homeless[task] = replicas - number
                    break
        queue = by_load(self.processes)
        for task in sorted(homeless, key=_along, reverse=True):
            for _ in range(homeless[task]):
                if not self._give_to_least_loaded(task, queue):
                    break

    def answer(self) -> dict[str, MemberTasks]:
        """Each member's tasks, in the order of the group's members."""
        return {member.member_id: member.answer() for member in self.members}

    def _process_order(self, process_ids: Sequence[str]) -> list[str]:
        """The order of the process map, filled member by member."""
        return computed_order(process_ids, string_hash, len(process_ids))

    def _with_state(self) -> Mapping[GroupTask, Sequence[GroupMember]]:
        """The members with state of each task: standby copies before mere offsets, large offsets first."""
        ranked: dict[GroupTask, list[tuple[bool, int, GroupMember]]] = {}
        for member in self.members:
            offsets, copies = member.before.offset_of, frozenset(member.before.standby)
            for task in member.before.standby:
                ranked.setdefault(task, []).append((False, -offsets.get(task, 0), member))
            for task, offset in offsets.items():
                if task not in copies:
                    ranked.setdefault(task, []).append((True, -offset, member))
        return {
            task: [member for *_, member in sorted(candidates, key=lambda candidate: candidate[:2])]
            for task, candidates in ranked.items()
        }

    def _choose(self, task: GroupTask, *, standby: bool = False) -> GroupMember | None:
        """The first member with state that takes part, unless a later one and its process have fewer tasks.

        A process that has the task takes no standby copy of it.
        """
        choice: GroupMember | None = None
        load, count = 0.0, 0
        for member in self.with_state.get(task, ()):
            if standby and task in member.process.tasks:
                continue
            if choice is None or (member.process.load < load and member.count < count):
                choice, load, count = member, member.process.load, member.count
        return choice

    def _offer_active(self, task: GroupTask, member: GroupMember | None) -> bool:
        """Whether there is a member and it takes the task, as it does below its share of active tasks."""
        if member is None or member.count >= self.active_quota.each:
            return False
        member.process.give(member, task, standby=False)
        self._count_active(member)
        return True

    def _count_active(self, member: GroupMember) -> None:
        self.active_quota.reached_by(member.count)
        self.total_quota.reached_by(member.count)

    def _offer_standby(self, task: GroupTask) -> bool:
        """Whether the task's previous member or one with state takes a copy within its share of all tasks."""
        ran_on = self.ran_on.get(task)
        if ran_on is not None and task in ran_on.process.tasks:
            ran_on = None
        return self._give_standby(task, ran_on) or self._give_standby(task, self._choose(task, standby=True))

    def _give_standby(self, task: GroupTask, member: GroupMember | None) -> bool:
        if member is None or member.count >= self.total_quota.each:
            return False
        member.process.give(member, task, standby=True)
        self.total_quota.reached_by(member.count)
        return True

    def _give_to_least_loaded(self, task: GroupTask, queue: JavaPriorityQueue[GroupProcess]) -> bool:
        """Whether the least loaded process without a copy takes one; it returns before those skipped."""
        passed: list[GroupProcess] = []
        given = False
        while queue and not given:
            process = queue.poll()
            passed.append(process)
            if task not in process.tasks:
                self.total_quota.reached_by(process.give_to_least_loaded(task, standby=True).count)
                given = True
        for process in reversed(passed):
            queue.offer(process)
        return given


@lru_cache(maxsize=1 << 14)
def _across(task: GroupTask) -> Order:
    """Sort by partition, then subtopology: equal partitions of all subtopologies are adjacent."""
    return task.partition, utf16_key(task.subtopology)


@lru_cache(maxsize=1 << 14)
def _along(task: GroupTask) -> tuple[bytes, int]:
    """Sort by subtopology, then partition."""
    return utf16_key(task.subtopology), task.partition


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

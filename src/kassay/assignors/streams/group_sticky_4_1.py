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

from collections.abc import Iterable

from kassay.assignors.java_errors import InternalTaskAssignorError
from kassay.assignors.registry import reference
from kassay.assignors.streams.group_processes import GroupMember, GroupProcess, MemberQuota, processes_of
from kassay.assignors.streams.group_sticky import StreamsGroupSticky
from kassay.model.java import bucket_order, hash_map_order, string_hash
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup
from kassay.model.streams.kinds import STREAMS

# The rule of the broker's sticky assignor in 4.1, which records the pairs of tasks that were together.
#
# Java's sets of members iterate by the identity of objects there, so that the answer of 4.1 depends on the
# JVM process wherever processes are equally loaded; here members are in the order in which Kafka adds them
# to its sets, which is what a JVM with one identity hash for all objects answers. Source: Kafka
# `StickyTaskAssignor` and `ProcessState` of the group coordinator, branch 4.1 (KAFKA-17125).


class PairingPlacement:
    """One run of the rule."""

    def __init__(self, group: StreamsGroup) -> None:
        self.group = group
        ids = hash_map_order(member.process_id for member in group.members)
        self.processes = processes_of(group, ids)
        by_id = {member.member_id: member for process in self.processes for member in process.members}
        self.members = [by_id[member.member_id] for member in group.members]
        self.ran_on = {task: member for member in self.members for task in member.before.active}
        self.with_copy: dict[GroupTask, list[GroupMember]] = {}
        for member in self.members:
            for task in member.before.standby:
                self.with_copy.setdefault(task, []).append(member)
        self.quota = MemberQuota(len(group.tasks), len(group.members))
        self.pairs = TaskPairs(len(group.tasks))

    def place_active(self) -> None:
        """Assign every task to one member; raises `InternalTaskAssignorError` without any."""
        everybody = [member for process in self.processes for member in process.members]
        tasks = _hash_set_order(self.group.tasks)
        moving = [task for task in tasks if not self._offer(task, self.ran_on.get(task))]
        for task in [task for task in moving if not self._offer(task, self._same(task))]:
            process = self._least_loaded(task, everybody)
            if process is None:
                raise InternalTaskAssignorError(f"No member available to assign active task {task}.")
            self._give(task, process.least_loaded(), standby=False)

    def place_standbys(self) -> None:
        """Assign each stateful task's standby copies, as many as there are processes for."""
        replicas = self.group.standby_replicas
        for task in _hash_set_order(self.group.stateful) if replicas else ():
            for _ in range(replicas):
                free = [process for process in self.processes if task not in process.tasks]
                if not free:
                    break
                self._give(task, self._standby(task, free), standby=True)

    def answer(self) -> dict[str, MemberTasks]:
        """Each member's tasks, in the order of the group's members."""
        return {member.member_id: member.answer() for member in self.members}

    def _offer(self, task: GroupTask, member: GroupMember | None) -> bool:
        """Whether there is a member and it takes the task, as it does below its share."""
        if member is None or member.count >= self.quota.each:
            return False
        self._give(task, member, standby=False)
        return True

    def _give(self, task: GroupTask, member: GroupMember, *, standby: bool) -> None:
        process = member.process
        self.pairs.meet(task, process.tasks)
        process.give(member, task, standby=standby)
        if not standby:
            self.quota.reached_by(sum(len(other.active) for other in process.members))

    def _standby(self, task: GroupTask, free: list[GroupProcess]) -> GroupMember:
        """The task's previous member or one with a copy, if that keeps loads even; else the least loaded."""
        ran_on = self.ran_on.get(task)
        if (
            ran_on is not None
            and ran_on.process in free
            and self._is_even(ran_on.process)
            and self.pairs.has_new(task, ran_on.process.tasks)
        ):
            return ran_on
        self.with_copy[task] = [m for m in self.with_copy.get(task, ()) if m.process in free]
        same = self._same(task)
        if same is not None and self._is_even(same.process):
            return same
        order = hash_map_order(process.process_id for process in free)
        by_id = {process.process_id: process for process in free}
        process = self._least_loaded(task, [m for process_id in order for m in by_id[process_id].members])
        assert process is not None, "a process is free, and each has a member"
        return process.least_loaded()

    def _is_even(self, process: GroupProcess) -> bool:
        """Whether the process has fewer tasks than members, or the least load."""
        return process.load < 1 or all(other.load >= process.load for other in self.processes)

    def _same(self, task: GroupTask) -> GroupMember | None:
        """The first member with a copy, of the least loaded process with one."""
        copies = self.with_copy.get(task, [])
        process = self._least_loaded(task, copies)
        return next((member for member in copies if member.process is process), None)

    def _least_loaded(self, task: GroupTask, members: list[GroupMember]) -> GroupProcess | None:
        """The least loaded process of these members, preferably one where the task meets a new task."""
        new = [member for member in members if self.pairs.has_new(task, member.process.tasks)]
        return min((member.process for member in new or members), key=_load, default=None)


class TaskPairs:
    """All pairs of tasks that have been on one process together."""

    def __init__(self, tasks: int) -> None:
        self._met: dict[GroupTask, set[GroupTask]] = {}
        self._left = tasks * (tasks - 1) // 2

    def meet(self, task: GroupTask, others: Iterable[GroupTask]) -> None:
        """Record that the task joins these tasks."""
        met = self._met.setdefault(task, set())
        for other in set(others) - met - {task}:
            met.add(other)
            self._met.setdefault(other, set()).add(task)
            self._left -= 1

    def has_new(self, task: GroupTask, others: set[GroupTask]) -> bool:
        """Whether pairs are left at all, and the task is new to one of the others or there are no others."""
        return self._left != 0 and (not others or not others <= self._met.get(task, set()))


def _load(process: GroupProcess) -> float:
    return process.load


def _hash_set_order(tasks: Iterable[GroupTask]) -> list[GroupTask]:
    """The order in which a `java.util.HashSet` of task ids, which are records, iterates."""
    return bucket_order(tasks, lambda task: 31 * string_hash(task.subtopology) + task.partition)


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

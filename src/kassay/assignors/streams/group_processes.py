"""The processes and members of a Streams group during an assignment.

Source: Kafka `org.apache.kafka.coordinator.group.streams.assignor.ProcessState`.

A quota for the members of a Streams group that have room; it is updated as tasks are assigned.

Source: Kafka `StickyTaskAssignor` of the group coordinator.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kassay.assignors.streams.state import JavaPriorityQueue
from kassay.model.java import hash_map_order
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember


class GroupMember:
    """One member as it was `before`, and its tasks so far."""

    __slots__ = ("active", "before", "count", "member_id", "process", "standby")

    def __init__(self, before: StreamsMember, process: GroupProcess) -> None:
        self.member_id = before.member_id
        self.before = before
        self.process = process
        self.active: list[GroupTask] = []
        self.standby: list[GroupTask] = []
        self.count = 0

    def answer(self) -> MemberTasks:
        """The member's tasks."""
        return MemberTasks(tuple(sorted(self.active)), tuple(sorted(self.standby)))


class GroupProcess:
    """One process: its members in the order of its hash map, its tasks, and its tasks per member."""

    __slots__ = ("_queue", "load", "members", "process_id", "tasks")

    def __init__(self, process_id: str, members: Iterable[StreamsMember]) -> None:
        self.process_id = process_id
        by_id = {member.member_id: member for member in members}
        self.members = [GroupMember(by_id[member_id], self) for member_id in _in_order(tuple(by_id))]
        self.tasks: set[GroupTask] = set()
        self.load = 0.0
        self._queue: JavaPriorityQueue[GroupMember] | None = None

    def give(self, member: GroupMember, task: GroupTask, *, standby: bool) -> None:
        """Assign the task to this member of the process; the heap of members is rebuilt when needed."""
        self._add(member, task, standby)
        self._queue = None

    def give_to_least_loaded(self, task: GroupTask, *, standby: bool) -> GroupMember:
        """Assign the task to the member with the fewest tasks and return it; Java's heap breaks ties."""
        if len(self.members) == 1:
            (member,) = self.members
            self._add(member, task, standby)
            return member
        queue = self._queue
        if queue is None:
            queue = self._queue = JavaPriorityQueue(_count)
            for member in self.members:
                queue.offer(member)
        member = queue.poll()
        self._add(member, task, standby)
        queue.offer(member)
        return member

    def least_loaded(self) -> GroupMember:
        """The first of the members with the fewest tasks."""
        return min(self.members, key=_count)

    def _add(self, member: GroupMember, task: GroupTask, standby: bool) -> None:
        (member.standby if standby else member.active).append(task)
        member.count += 1
        self.tasks.add(task)
        self.load = len(self.tasks) / len(self.members)


@lru_cache(maxsize=1 << 12)
def _in_order(member_ids: tuple[str, ...]) -> tuple[str, ...]:
    """The members of a process as its hash map has them, filled in this order."""
    return tuple(hash_map_order(member_ids))


def _count(member: GroupMember) -> int:
    return member.count


def by_load(processes: Iterable[GroupProcess]) -> JavaPriorityQueue[GroupProcess]:
    """Java's heap of processes by load, filled in this order."""
    queue: JavaPriorityQueue[GroupProcess] = JavaPriorityQueue(lambda process: process.load)
    for process in processes:
        queue.offer(process)
    return queue


def processes_of(group: StreamsGroup, process_ids: Iterable[str]) -> list[GroupProcess]:
    """The processes of the group with their members, in this order."""
    members: dict[str, list[StreamsMember]] = {}
    for member in group.members:
        members.setdefault(member.process_id, []).append(member)
    return [GroupProcess(process_id, members[process_id]) for process_id in process_ids]


class MemberQuota:
    """The tasks left for each member that has room, rounded up; 0 without a member.

    >>> quota = MemberQuota(5, 2)
    >>> quota.each
    3
    >>> quota.reached_by(3)
    >>> quota.each
    2
    """

    __slots__ = ("_members", "_tasks", "each")

    def __init__(self, tasks: int, members: int) -> None:
        self._tasks = tasks
        self._members = members
        self.each = self._share()

    def reached_by(self, count: int) -> None:
        """Record that a member has this many tasks: at the quota, it and its tasks no longer count."""
        if count == self.each:
            self._members -= 1
            self._tasks -= count
            self.each = self._share()

    def _share(self) -> int:
        return -(-self._tasks // self._members) if self._members else 0

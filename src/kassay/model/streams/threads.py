"""Assignors that assign tasks to threads, and the meaning of their answers.

An assignor of `level: process` (KIP-924) sees processes with a number of threads; one of `level: member`
(KIP-1071, KIP-1357) sees a group whose members are the threads. Both run on the same application.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache

from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskId, TaskRequest


class GroupTaskAssignor(ABC):
    """An assignor of `level: member`: it assigns tasks to group members, and thereby to processes."""

    name: str

    @abstractmethod
    def assign_group(self, group: StreamsGroup) -> Mapping[str, MemberTasks]:
        """Assign the tasks of all members, by member id."""

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """Assign the tasks of all processes and of each of their threads."""
        return assignment_of(request, self.assign_group(request.group))


def assignment_of(request: TaskRequest, given: Mapping[str, MemberTasks]) -> TaskAssignment:
    """The answer for a group converted to processes, with the tasks of each member.

    As in the broker, a member without an entry gets no tasks. An unknown member counts as a process of its
    own.
    """
    process_of = {member.member_id: member.process_id for member in request.group.members}
    members = {
        who: ClientTasks(tuple(map(_numbered, active)), tuple(map(_numbered, standby)))
        for who, (active, standby) in given.items()
    }
    processes: dict[str, tuple[list[TaskId], list[TaskId]]] = {
        p.process_id: ([], []) for p in request.clients
    }
    for who, tasks in members.items():
        active, standby = processes.setdefault(process_of.get(who, who), ([], []))
        active += tasks.active
        standby += tasks.standby
    in_order = {
        process_id: ClientTasks(tuple(sorted(active)), tuple(sorted(standby)))
        for process_id, (active, standby) in processes.items()
    }
    return TaskAssignment(in_order, members=members)


@lru_cache(maxsize=1 << 14)
def _numbered(task: GroupTask) -> TaskId:
    """The task with a numeric subtopology; raises `InputError` if the subtopology is not a number."""
    return TaskId.parse(str(task))

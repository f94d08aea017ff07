"""An application thread by thread: an assignor of its threads, and what its answer means.

An assignor of `level: process` (KIP-924) sees processes with so many threads, one of `level: member`
(KIP-1071, KIP-1357) a group whose members are the threads. Both are asked about the same application.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache

from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskId, TaskRequest


class GroupTaskAssignor(ABC):
    """An assignor of `level: member`: it gives tasks to the members of a group, and so to processes."""

    name: str

    @abstractmethod
    def assign_group(self, group: StreamsGroup) -> Mapping[str, MemberTasks]:
        """The tasks of all members, by member id."""

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all processes, and of each of their threads."""
        return assignment_of(request, self.assign_group(request.group))


def assignment_of(request: TaskRequest, given: Mapping[str, MemberTasks]) -> TaskAssignment:
    """The answer for a group as one for processes, with what each member is given.

    A member without an entry is given nothing, as the broker has it; one that is not of the group stands as
    a process of its own.
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
    """The task by number; raises `InputError` for a subtopology that is none."""
    return TaskId.parse(str(task))

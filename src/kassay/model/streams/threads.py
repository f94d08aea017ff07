"""An application thread by thread: what the broker's assignor is asked of it, and what its answer means.

An assignor of `level: process` (KIP-924) sees processes with so many threads, one of `level: member`
(KIP-1071, KIP-1357) a group whose members are the threads. Both are asked about the same application.
A thread reports an offset for each stateful task that it holds, and the first thread of a process for
what else is on the disk. A changelog ends at `CHANGELOG`; a copy that lacks all of it reports nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskClient, TaskId, TaskRequest

CHANGELOG: Final = 100_000
"""The lag of a process without a copy: the whole changelog of a task."""


class GroupTaskAssignor(ABC):
    """An assignor of `level: member`: it gives tasks to the members of a group, and so to processes."""

    name: str

    @abstractmethod
    def assign_group(self, group: StreamsGroup) -> Mapping[str, MemberTasks]:
        """The tasks of all members, by member id."""

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all processes, and of each of their threads."""
        return assignment_of(request, self.assign_group(group_of(request)))


def member_id(process_id: str, start: int, thread: int) -> str:
    """The id of a thread of a process that was started again so many times."""
    return f"{process_id}-{start}-{thread}"


def group_of(request: TaskRequest) -> StreamsGroup:
    """The application as a group: members process by process, in the order of the request."""
    stateful = {task.subtopology for task in request.stateful}
    sizes: dict[int, int] = {}
    for task in sorted(request.tasks):
        sizes[task.subtopology] = sizes.get(task.subtopology, 0) + 1
    return StreamsGroup(
        subtopologies=tuple(Subtopology(str(sub), size, sub in stateful) for sub, size in sizes.items()),
        members=tuple(member for client in request.clients for member in _members(client)),
        standby_replicas=request.standby_replicas,
    )


def assignment_of(request: TaskRequest, given: Mapping[str, MemberTasks]) -> TaskAssignment:
    """The answer for a group as one for processes, with what each member is given.

    A member without an entry is given nothing, as the broker has it; one that is not of the group stands as
    a process of its own.
    """
    process_of = {
        member_id(client.process_id, client.start, thread): client.process_id
        for client in request.clients
        for thread in range(client.capacity)
    }
    members = {who: ClientTasks(_named(tasks.active), _named(tasks.standby)) for who, tasks in given.items()}
    processes = {client.process_id: ClientTasks() for client in request.clients}
    for who, tasks in members.items():
        process_id = process_of.get(who, who)
        active, standby = processes.get(process_id, ClientTasks())
        processes[process_id] = ClientTasks(active + tasks.active, standby + tasks.standby)
    in_order = {
        process_id: ClientTasks(tuple(sorted(tasks.active)), tuple(sorted(tasks.standby)))
        for process_id, tasks in processes.items()
    }
    return TaskAssignment(in_order, members=members)


def _members(client: TaskClient) -> Iterator[StreamsMember]:
    """The threads of a process; where nobody said which of them had what, the first one had it."""
    held = client.held or (ClientTasks(client.previous_active, client.previous_standby),)
    on_disk = {_group_task(task): CHANGELOG - max(lag, 0) for task, lag in client.lags if lag < CHANGELOG}
    threads = [
        MemberTasks(tuple(map(_group_task, tasks.active)), tuple(map(_group_task, tasks.standby)))
        for tasks in held
    ]
    theirs = {task for active, standby in threads for task in (*active, *standby)}
    nobodys = tuple(item for item in on_disk.items() if item[0] not in theirs)
    for thread in range(client.capacity):
        active, standby = threads[thread] if thread < len(threads) else MemberTasks()
        offsets = [(task, on_disk[task]) for task in (*active, *standby) if task in on_disk]
        who = member_id(client.process_id, client.start, thread)
        reported = (*offsets, *nobodys) if thread == 0 else tuple(offsets)
        yield StreamsMember(who, client.process_id, active, standby, reported)


def _group_task(task: TaskId) -> GroupTask:
    return GroupTask(str(task.subtopology), task.partition)


def _named(tasks: Iterable[GroupTask]) -> tuple[TaskId, ...]:
    """The tasks by number; raises `InputError` for a subtopology that is none."""
    return tuple(TaskId.parse(str(task)) for task in tasks)

"""Tasks of a Kafka Streams application, and what assigns them to processes and threads.

Tasks of Kafka Streams, the processes that run them, and the decisions of a task assignor.

A task is one partition of one subtopology. A process is a Streams instance with one or more threads; it runs
active tasks and keeps standby copies of stateful ones. The lag of a copy is how far it is behind. Sources:
KIP-441; Kafka's `TaskId`, `ClientState`, `TaskAssignor`.

Assignors that assign tasks to threads, and the meaning of their answers.

An assignor of `level: process` (KIP-924) sees processes with a number of threads; one of `level: member`
(KIP-1071, KIP-1357) sees a group whose members are the threads. Both run on the same application.
"""

from __future__ import annotations

import re
import uuid
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, Protocol, runtime_checkable

from kassay.model.errors import InputError
from kassay.model.java import bucket_order, uuid_halves, uuid_hash
from kassay.model.lazy import lazy
from kassay.model.streams.events import Tags
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember, Subtopology

RUNNING: Final = -2
"""The lag that a process reports for a task that it ran as active (`Task.LATEST_OFFSET`)."""

_NUMBERED: Final = "00000000-0000-4000-8000-"
"""The beginning of the process ids of kassay's own; the first digit varies."""
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
CHANGELOG: Final = 100_000
"""The usual length of the changelog of a task: the lag of a process without a copy."""

LAG_UNBOUNDED: Final = (1 << 63) - 1
"""The acceptable recovery lag at which every copy counts as caught up (`Long.MAX_VALUE`)."""


class TaskId(NamedTuple):
    """One task, ordered by subtopology, then partition."""

    subtopology: int
    partition: int

    def __str__(self) -> str:
        return f"{self.subtopology}_{self.partition}"

    @classmethod
    def parse(cls, text: str) -> TaskId:
        """The task from `subtopology_partition`; raises `InputError` for any other text.

        >>> TaskId.parse("2_11")
        TaskId(subtopology=2, partition=11)
        """
        subtopology, _, partition = text.partition("_")
        if not (subtopology.isdecimal() and partition.isdecimal()):
            raise InputError(f"task id {text!r}: expected SUBTOPOLOGY_PARTITION, as in 0_3")
        return cls(int(subtopology), int(partition))


@lru_cache(maxsize=1 << 14)
def member_id(process_id: str, start: int, thread: int) -> str:
    """The id of a thread of a process; `start` is the number of restarts.

    A Kafka member has a UUID, which says nothing of its process (KIP-1071). Here too, unless the process has
    an id of `process_id(number)`, or one that is no UUID: then the members' can be read.
    """
    if process_id[1:24] == _NUMBERED[1:] or not _UUID.fullmatch(process_id):
        return f"{process_id}-{start}-{thread}"
    return str(uuid.uuid5(uuid.UUID(process_id), f"{start}-{thread}"))


@lru_cache(maxsize=1 << 14)
def _group_task(task: TaskId) -> GroupTask:
    return GroupTask(str(task.subtopology), task.partition)


class ClientTasks(NamedTuple):
    """The tasks assigned to one process or thread, each list in task order."""

    active: tuple[TaskId, ...] = ()
    standby: tuple[TaskId, ...] = ()


@dataclass(frozen=True)
class TaskClient:
    """One process with `capacity` threads, and its state.

    `previous_active` and `previous_standby` are its previous tasks. `lags` has the total lag of each stateful
    task on this process: `RUNNING` if it was active, the whole changelog if the process has no copy. `held`
    has the tasks of each thread, if an assignor assigned them to threads; `start` counts the restarts of the
    process. `rack` and `tags` describe its location, `changelog` is the length of each changelog.
    """

    process_id: str
    capacity: int
    previous_active: tuple[TaskId, ...] = ()
    previous_standby: tuple[TaskId, ...] = ()
    lags: tuple[tuple[TaskId, int], ...] = ()
    held: tuple[ClientTasks, ...] = ()
    start: int = 0
    rack: str | None = None
    tags: Tags = ()
    changelog: int = CHANGELOG

    def __post_init__(self) -> None:
        if self.capacity < 1:
            raise InputError(f"process {self.process_id}: expected at least one thread, got {self.capacity}")

    @lazy
    def tag_of(self) -> Mapping[str, str]:
        """The value of each tag by its key; treat as read-only."""
        return dict(self.tags)

    @lazy
    def lag_of(self) -> Mapping[TaskId, int]:
        """The lag by task; treat as read-only."""
        return dict(self.lags)

    @lazy
    def members(self) -> tuple[StreamsMember, ...]:
        """The threads; the first one has all tasks if the tasks were not assigned to threads.

        Each thread reports an offset for each of its stateful tasks; the first one also reports the rest of
        the disk. A changelog ends at `changelog`; a copy that lacks all of it has no reported offset.
        """
        held = self.held or (ClientTasks(self.previous_active, self.previous_standby),)
        end = self.changelog
        on_disk = {_group_task(task): end - max(lag, 0) for task, lag in self.lags if lag < end}
        threads = [
            MemberTasks(tuple(map(_group_task, tasks.active)), tuple(map(_group_task, tasks.standby)))
            for tasks in held
        ]
        theirs = {task for active, standby in threads for task in (*active, *standby)}
        nobodys = tuple(item for item in on_disk.items() if item[0] not in theirs)
        members = []
        for thread in range(self.capacity):
            active, standby = threads[thread] if thread < len(threads) else MemberTasks()
            offsets = [(task, on_disk[task]) for task in (*active, *standby) if task in on_disk]
            who = member_id(self.process_id, self.start, thread)
            reported = (*offsets, *nobodys) if thread == 0 else tuple(offsets)
            members.append(
                StreamsMember(who, self.process_id, active, standby, reported, self.rack, self.tags)
            )
        return tuple(members)


@dataclass(frozen=True)
class TaskRequest:
    """What the leader knows when it assigns tasks.

    `clients`, `tasks` and `stateful` are in the order in which the leader's maps and sets iterate them;
    `stateful` is a subset of `tasks`. A copy counts as caught up if its lag is at most
    `acceptable_recovery_lag`. `rack_aware_tags` are the tag keys over whose values standby copies should be
    spread (`rack.aware.assignment.tags`); if empty, tags have no effect. `changelog` is the length of the
    changelog of each task with state.
    """

    clients: tuple[TaskClient, ...]
    tasks: tuple[TaskId, ...]
    stateful: tuple[TaskId, ...]
    standby_replicas: int = 0
    acceptable_recovery_lag: int = 10_000
    warmup_replicas_max: int = 2
    rack_aware_tags: tuple[str, ...] = ()
    changelog: int = CHANGELOG

    def __post_init__(self) -> None:
        if len(self.by_id) < len(self.clients):
            raise InputError("clients: expected different process ids")
        if strange := set(self.stateful) - set(self.tasks):
            raise InputError(f"stateful tasks: expected a subset of the tasks, got {min(strange)}")

    @lazy
    def by_id(self) -> dict[str, TaskClient]:
        """Clients by process id; treat as read-only."""
        return {client.process_id: client for client in self.clients}

    @lazy
    def group(self) -> StreamsGroup:
        """The application as a group, with members ordered by process as in the request."""
        stateful = {task.subtopology for task in self.stateful}
        sizes = Counter(task.subtopology for task in sorted(self.tasks))
        return StreamsGroup(
            tuple(Subtopology(str(sub), size, sub in stateful) for sub, size in sizes.items()),
            tuple(member for client in self.clients for member in client.members),
            self.standby_replicas,
            self.rack_aware_tags,
        )

    @lazy
    def previous_owners(self) -> dict[TaskId, str]:
        """The process that ran each task before; the last listed if several did. Treat as read-only.

        In the order in which Java's `HashMap` iterates tasks inserted process by process.
        """
        owners = {
            task: client.process_id for client in self.clients for task in sorted(client.previous_active)
        }
        return {task: owners[task] for task in task_hash_order(owners)}


@dataclass(frozen=True)
class TaskAssignment:
    """The tasks of each process, and whether a probing rebalance should follow (KIP-441).

    Warm-up copies are listed among the standby tasks, as in Kafka. `members` has the tasks of each thread if
    the assignor specifies them, and None if each process distributes its tasks itself.
    """

    processes: Mapping[str, ClientTasks]
    probing_rebalance: bool = False
    members: Mapping[str, ClientTasks] | None = None

    def __hash__(self) -> int:
        return hash((frozenset(self.processes.items()), self.probing_rebalance))

    @lazy
    def owners(self) -> dict[TaskId, str]:
        """The process that runs each task; with several, the last listed. Treat as read-only."""
        return {task: process_id for process_id, tasks in self.processes.items() for task in tasks.active}

    @lazy
    def active_on(self) -> dict[TaskId, list[str]]:
        """The processes that run each task, with one entry per listing; treat as read-only."""
        return _places((process_id, tasks.active) for process_id, tasks in sorted(self.processes.items()))

    @lazy
    def standby_on(self) -> dict[TaskId, list[str]]:
        """The processes that keep a copy of each task, with one entry per listing; treat as read-only."""
        return _places((process_id, tasks.standby) for process_id, tasks in sorted(self.processes.items()))


def _places(listed: Iterable[tuple[str, tuple[TaskId, ...]]]) -> dict[TaskId, list[str]]:
    places: dict[TaskId, list[str]] = {}
    for process_id, tasks in listed:
        for task in tasks:
            places.setdefault(task, []).append(process_id)
    return places


@runtime_checkable
class TaskAssignor(Protocol):
    """An assignor of Streams tasks."""

    name: str

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """Assign the tasks of all processes."""


@lru_cache(maxsize=1 << 12)
def process_id(number: int) -> str:
    """The id of the n-th process; every other one sorts before all others, being signed in Java."""
    return f"{'8' if number % 2 else '0'}{_NUMBERED[1:]}{number:012x}"


def process_key(process_id: str) -> tuple[int, int]:
    """The key that `java.util.UUID` compares: the process id as two signed 64-bit halves.

    Raises `InputError` if the process id is not a UUID.
    """
    try:
        return uuid_halves(uuid.UUID(process_id).bytes)
    except ValueError as problem:
        raise InputError(f"process id {process_id!r}: expected a UUID of 36 characters") from problem


def process_hash_order(process_ids: Iterable[str]) -> list[str]:
    """The process ids in the iteration order of a `java.util.HashSet` filled in the given order."""
    return bucket_order(process_ids, lambda process_id: uuid_hash(process_key(process_id)))


def task_hash_order(tasks: Iterable[TaskId]) -> list[TaskId]:
    """The task ids in the iteration order of a `java.util.HashSet` filled in the given order.

    The hash is `Objects.hash(subtopology, partition, null)`; the null is the named topology, which tasks here
    never have.
    """
    return bucket_order(tasks, lambda task: ((31 + task.subtopology) * 31 + task.partition) * 31)


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

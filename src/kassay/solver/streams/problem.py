"""Stateful tasks with standbys (Kafka Streams): clients or members, and where the state of each task is.

Tasks for members inside processes: who runs them, where their state is, and the stateless ones. The JSON
form is family "C" of the instance format with `members` in its clients (`docs/instances.md`).
`problem_of` and `request_of` convert between a request of a Streams application and a problem of
members.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import count, cycle
from typing import Annotated, Any, Final, Literal

from kassay.model.errors import InputError
from kassay.model.streams.tasks import (
    CHANGELOG,
    RUNNING,
    ClientTasks,
    TaskClient,
    TaskId,
    TaskRequest,
    member_id,
    process_hash_order,
    task_hash_order,
)
from kassay.reading.documents import Bound, Count, Name, Positive, Size, within, wrong
from kassay.reading.values import read_as, unique


@dataclass(frozen=True, order=True)
class StreamsClient:
    """A client that takes tasks in proportion to its `threads`."""

    id: Name
    rack: Name | None = None
    threads: Positive = 1


@dataclass(frozen=True)
class TaskProblem:
    """Clients in the order of their ids; tasks are numbers from 0.

    `active` has the position of each task's previous active client, or None; `standby` the positions
    of the other clients that hold its state.
    """

    clients: tuple[StreamsClient, ...]
    standbys: int
    active: tuple[int | None, ...]
    standby: tuple[frozenset[int], ...]
    name: str = ""

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return len(self.active)

    @property
    def copies(self) -> int:
        """Clients of a task: the active one and the requested standbys, if there are enough clients."""
        return 1 + min(self.standbys, len(self.clients) - 1)

    def together(self, one: int, other: int) -> bool:
        """Whether two clients are known to be in one rack."""
        rack = self.clients[one].rack
        return rack is not None and rack == self.clients[other].rack

    def state(self, task: int) -> frozenset[int]:
        """The clients that hold the task's state."""
        active = self.active[task]
        return self.standby[task] if active is None else self.standby[task] | {active}

    @classmethod
    def parse(cls, document: Any) -> TaskProblem:
        """The problem of a JSON document of family "C"; raises `InputError` naming the field."""
        instance = read_as(_Instance, document)
        unique(((f"clients[{i}].id", entry.id) for i, entry in enumerate(instance.clients)), "client id")
        within((client.threads for client in instance.clients), "clients", "threads")
        clients = tuple(sorted(instance.clients))
        position = {client.id: place for place, client in enumerate(clients)}
        _refuse_impossible(instance, position)
        return cls(
            clients,
            instance.standbys,
            tuple(None if id_ is None else position[id_] for id_ in instance.active),
            tuple(frozenset(position[id_] for id_ in row) for row in instance.standby),
            instance.name,
        )

    def document(self) -> dict[str, Any]:
        """The JSON form; parsing it gives an equal problem."""
        ids = [client.id for client in self.clients]
        return {
            "family": "C",
            "name": self.name or "unnamed",
            "clients": [asdict(client) for client in self.clients],
            "tasks": self.tasks,
            "standbys": self.standbys,
            "active": [None if place is None else ids[place] for place in self.active],
            "standby": [[ids[place] for place in sorted(row)] for row in self.standby],
        }


@dataclass(frozen=True)
class _Instance:
    """A document of family "C"."""

    family: Literal["C"]
    clients: Annotated[tuple[StreamsClient, ...], Bound("at least one client", bool)]
    tasks: Size
    standbys: Size
    active: tuple[str | None, ...]
    standby: tuple[tuple[str, ...], ...]
    name: Name = ""


def _refuse_impossible(instance: _Instance, known: Collection[str]) -> None:
    """Raise where a task lacks its entry, or a client is unknown or has one task twice."""
    for field, rows in (("active", instance.active), ("standby", instance.standby)):
        if len(rows) != instance.tasks:
            raise InputError(f"{field}: found {len(rows)} entries, expected {instance.tasks}")
    for task, (lead, row) in enumerate(zip(instance.active, instance.standby, strict=True)):
        places = [(f"standby[{task}][{i}]", id_) for i, id_ in enumerate(row)]
        for path, id_ in [(f"active[{task}]", lead), *places]:
            if id_ is not None and id_ not in known:
                raise wrong(path, id_, "the id of a client under `clients`")
        unique(places, "client")
        if lead in row:
            raise wrong(f"standby[{task}]", list(row), f"no standby on {lead!r}, the active one")


@dataclass(frozen=True, order=True)
class ProcessMembers:
    """A process and its members in the order of their ids."""

    id: Name
    members: Annotated[tuple[Name, ...], Bound("at least one member", bool)]


@dataclass(frozen=True)
class MemberTaskProblem:
    """Processes in the order of their ids; tasks are numbers from 0.

    Members are numbered process by process. `active` has the member that ran each task, or None;
    `standby` the positions of the other processes that hold its state, of which a stateless task has none.
    """

    processes: tuple[ProcessMembers, ...]
    standbys: int
    stateless: frozenset[int]
    active: tuple[int | None, ...]
    standby: tuple[frozenset[int], ...]
    name: str = ""

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return len(self.active)

    @property
    def stateful(self) -> int:
        """How many tasks have state."""
        return self.tasks - len(self.stateless)

    @property
    def following(self) -> int:
        """Standby copies of a stateful task: the requested number, if there are enough processes."""
        return min(self.standbys, len(self.processes) - 1)

    @cached_property
    def member_ids(self) -> tuple[str, ...]:
        """The ids of all members."""
        return tuple(member_id for process in self.processes for member_id in process.members)

    @cached_property
    def process_of(self) -> tuple[int, ...]:
        """The position of each member's process."""
        return tuple(place for place, process in enumerate(self.processes) for _ in process.members)

    @cached_property
    def members_of(self) -> tuple[range, ...]:
        """The members of each process."""
        ends = [0]
        for process in self.processes:
            ends.append(ends[-1] + len(process.members))
        return tuple(map(range, ends, ends[1:]))

    def state(self, task: int) -> frozenset[int]:
        """The processes that hold the task's state."""
        active = self.active[task]
        if active is None or task in self.stateless:
            return self.standby[task]
        return self.standby[task] | {self.process_of[active]}

    @classmethod
    def by_thread(cls, problem: TaskProblem) -> MemberTaskProblem:
        """A problem of clients with each of their threads as a member; racks are left out.

        A client's previous tasks count as run by its threads round robin.
        """
        processes = tuple(
            ProcessMembers(client.id, tuple(f"{client.id}-{thread}" for thread in range(client.threads)))
            for client in problem.clients
        )
        members = cls(processes, problem.standbys, frozenset(), (), (), problem.name)
        turns = tuple(map(cycle, members.members_of))
        active = tuple(None if place is None else next(turns[place]) for place in problem.active)
        return replace(members, active=active, standby=problem.standby)

    @classmethod
    def parse(cls, document: Any) -> MemberTaskProblem:
        """The problem of a JSON document with members; raises `InputError` naming the field."""
        instance = read_as(_MemberInstance, document)
        _refuse_unknown(document)
        unique(((f"clients[{i}].id", entry.id) for i, entry in enumerate(instance.clients)), "client id")
        unique(
            (
                (f"clients[{i}].members[{j}]", member_id)
                for i, entry in enumerate(instance.clients)
                for j, member_id in enumerate(entry.members)
            ),
            "member id",
        )
        processes = tuple(
            ProcessMembers(entry.id, tuple(sorted(entry.members))) for entry in sorted(instance.clients)
        )
        place = {process.id: number for number, process in enumerate(processes)}
        members = [(member_id, p) for p, process in enumerate(processes) for member_id in process.members]
        number = {member_id: m for m, (member_id, _) in enumerate(members)}
        _refuse_impossible_members(instance, place, {member_id: processes[p].id for member_id, p in members})
        return cls(
            processes,
            instance.standbys,
            frozenset(instance.stateless),
            tuple(None if id_ is None else number[id_] for id_ in instance.active),
            tuple(frozenset(place[id_] for id_ in row) for row in instance.standby),
            instance.name,
        )

    def document(self) -> dict[str, Any]:
        """The JSON form; parsing it gives an equal problem."""
        return {
            "family": "C",
            "name": self.name or "unnamed",
            "clients": [{"id": process.id, "members": list(process.members)} for process in self.processes],
            "tasks": self.tasks,
            "standbys": self.standbys,
            "stateless": sorted(self.stateless),
            "active": [None if member is None else self.member_ids[member] for member in self.active],
            "standby": [[self.processes[place].id for place in sorted(row)] for row in self.standby],
        }


def has_members(document: Any) -> bool:
    """Whether a document of family "C" has members inside its clients, or stateless tasks."""
    if not isinstance(document, dict):
        return False
    clients = document.get("clients")
    entries = clients if isinstance(clients, list) else []
    return "stateless" in document or any(isinstance(e, dict) and "members" in e for e in entries)


@dataclass(frozen=True)
class _MemberInstance:
    """A document of family "C" with members."""

    family: Literal["C"]
    clients: Annotated[tuple[ProcessMembers, ...], Bound("at least one client", bool)]
    tasks: Size
    standbys: Size
    active: tuple[str | None, ...]
    standby: tuple[tuple[str, ...], ...]
    stateless: tuple[Count, ...] = ()
    name: Name = ""


def _refuse_unknown(document: Mapping[str, Any]) -> None:
    """Raise for fields that only clients without members have."""
    for i, client in enumerate(document["clients"]):
        for field in ("threads", "rack"):
            if client.get(field) is not None:
                raise wrong(f"clients[{i}].{field}", client[field], "none with `members`")


def _refuse_impossible_members(
    instance: _MemberInstance, clients: Collection[str], process_of: Mapping[str, str]
) -> None:
    """Raise where a task lacks its entry, or a name is unknown, or one client has a task twice."""
    for field, rows in (("active", instance.active), ("standby", instance.standby)):
        if len(rows) != instance.tasks:
            raise InputError(f"{field}: found {len(rows)} entries, expected {instance.tasks}")
    unique(((f"stateless[{i}]", task) for i, task in enumerate(instance.stateless)), "task")
    for i, task in enumerate(instance.stateless):
        if task >= instance.tasks:
            raise wrong(f"stateless[{i}]", task, f"a task below {instance.tasks}")
        if instance.standby[task]:
            raise wrong(f"standby[{task}]", list(instance.standby[task]), "none of a stateless task")
    for task, (lead, row) in enumerate(zip(instance.active, instance.standby, strict=True)):
        if lead is not None and lead not in process_of:
            raise wrong(f"active[{task}]", lead, "the id of a member of a client")
        places = [(f"standby[{task}][{i}]", id_) for i, id_ in enumerate(row)]
        for path, id_ in places:
            if id_ not in clients:
                raise wrong(path, id_, "the id of a client under `clients`")
        unique(places, "client")
        if lead is not None and process_of[lead] in row:
            raise wrong(
                f"standby[{task}]", list(row), f"no standby on {process_of[lead]!r}, where it is active"
            )


_PROCESS: Final = "00000000-0000-4000-8000-{:012x}"
"""The id of the n-th process: a UUID, since Java sorts them as UUIDs."""


def problem_of(request: TaskRequest) -> MemberTaskProblem:
    """The problem of a request: tasks in their order, members by the ids of their threads.

    A process has the state of a task if its copy lacks less than the whole changelog, whatever its lag.
    """
    tasks, stateful = sorted(request.tasks), frozenset(request.stateful)
    clients = sorted(request.clients, key=lambda client: client.process_id)
    processes = tuple(
        ProcessMembers(
            client.process_id,
            tuple(sorted(member_id(client.process_id, client.start, n) for n in range(client.capacity))),
        )
        for client in clients
    )
    ids = {id_: m for m, id_ in enumerate(id_ for process in processes for id_ in process.members)}
    ran: dict[TaskId, int] = {}
    state: dict[TaskId, set[int]] = {task: set() for task in tasks}
    for place, client in enumerate(clients):
        for thread, held in enumerate(client.held[: client.capacity]):
            member = ids[member_id(client.process_id, client.start, thread)]
            ran.update(dict.fromkeys(held.active, member))
        for task, lag in client.lags:
            if lag < request.changelog and task in stateful:
                state[task].add(place)
    return MemberTaskProblem(
        processes,
        request.standby_replicas,
        frozenset(number for number, task in enumerate(tasks) if task not in stateful),
        tuple(ran.get(task) for task in tasks),
        tuple(frozenset(state[task]) for task in tasks),
    )


def request_of(problem: MemberTaskProblem) -> TaskRequest:
    """The problem as an assignor sees it; `problem_of` turns it into an equivalent problem.

    Processes and members get the ids that Kafka gives them, in the order of the problem's. Tasks without
    state are a subtopology of their own, after the others. A process's copies have caught up, and its members
    hold them round robin. All tasks may warm up at once, since speed does not matter here.
    """
    numbers = (count(), count())
    task_of = [TaskId(sub := int(n in problem.stateless), next(numbers[sub])) for n in range(problem.tasks)]
    stateful = [task for task in task_of if not task.subtopology]
    clients = {}
    for place, members in enumerate(problem.members_of):
        copies = [task for task, row in zip(task_of, problem.standby, strict=True) if place in row]
        held = tuple(
            ClientTasks(
                tuple(task for task, ran in zip(task_of, problem.active, strict=True) if ran == member),
                tuple(copies[turn :: len(members)]),
            )
            for turn, member in enumerate(members)
        )
        runs = tuple(sorted(task for tasks_of in held for task in tasks_of.active))
        state = {**dict.fromkeys(stateful, CHANGELOG), **dict.fromkeys(copies, 0)}
        state |= {task: RUNNING for task in runs if task in state}
        process_id = _PROCESS.format(place)
        clients[process_id] = TaskClient(
            process_id, len(members), runs, tuple(copies), tuple(state.items()), held
        )
    return TaskRequest(
        tuple(clients[process_id] for process_id in process_hash_order(clients)),
        tuple(task_hash_order(task_of)),
        tuple(task_hash_order(stateful)),
        problem.standbys,
        warmup_replicas_max=max(1, problem.tasks),
    )

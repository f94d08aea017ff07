"""Tasks for members inside processes: who runs them, where their state is, and the stateless ones.

The JSON form is family "C" of the instance format with `members` in its clients (`docs/instances.md`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import cycle
from typing import Annotated, Any, Literal

from kassay.model.errors import InputError
from kassay.reading.fields import Bound, Count, Name, Size, wrong
from kassay.reading.values import read_as, unique
from kassay.solver.streams.problem import TaskProblem


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
        instance = read_as(_Instance, document)
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
        _refuse_impossible(instance, place, {member_id: processes[p].id for member_id, p in members})
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
class _Instance:
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


def _refuse_impossible(instance: _Instance, clients: Collection[str], process_of: Mapping[str, str]) -> None:
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

"""Stateful tasks with standbys (Kafka Streams): clients, and where the state of each task is.

The JSON form is family "C" of the instance format (`docs/instances.md`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from kassay.model.errors import InputError
from kassay.reading.fields import Bound, Name, Positive, Size, within, wrong
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

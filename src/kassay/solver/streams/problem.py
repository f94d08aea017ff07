"""Stateful tasks with standbys (Kafka Streams): clients, and where the state of each task is now.

The JSON form is family "C" of the instance format (`docs/instances.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from kassay.solver.fields import Field, unique


class StreamsClient(NamedTuple):
    """A client that takes tasks in proportion to its `threads`."""

    client_id: str
    rack: str | None = None
    threads: int = 1


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
        """Clients a task: the active one and as many standbys as asked where there are clients enough."""
        return 1 + min(self.standbys, len(self.clients) - 1)

    def state(self, task: int) -> frozenset[int]:
        """The clients that hold the task's state."""
        active = self.active[task]
        return self.standby[task] if active is None else self.standby[task] | {active}

    @classmethod
    def parse(cls, document: Any) -> TaskProblem:
        """The problem of a JSON document of family "C"; raises `InputError` naming the field."""
        root = Field(document, "")
        family = root.get("family")
        if family.value != "C":
            raise family.fail('the family "C"')
        clients = _parse_clients(root.get("clients"))
        position = {client.client_id: place for place, client in enumerate(clients)}
        tasks = root.get("tasks").integer()
        name, active, standby = root.find("name"), root.get("active"), root.get("standby")
        active.list(tasks)
        standby.list(tasks)
        leads = tuple(None if a.value is None else _client(a, position) for a in active.items())
        follow = []
        for lead, row in zip(leads, standby.items(), strict=True):
            entries = list(row.items())
            unique(entries, "client")
            places = [_client(entry, position) for entry in entries]
            if lead in places:
                raise row.fail(
                    f"no standby on {clients[places[places.index(lead)]].client_id!r}, the active one"
                )
            follow.append(frozenset(places))
        return cls(
            clients,
            root.get("standbys").integer(),
            leads,
            tuple(follow),
            "" if name is None else name.text(),
        )

    def document(self) -> dict[str, Any]:
        """The JSON form; parsing it gives an equal problem."""
        ids = [client.client_id for client in self.clients]
        return {
            "family": "C",
            "name": self.name or "unnamed",
            "clients": [{"id": c.client_id, "rack": c.rack, "threads": c.threads} for c in self.clients],
            "tasks": self.tasks,
            "standbys": self.standbys,
            "active": [None if place is None else ids[place] for place in self.active],
            "standby": [[ids[place] for place in sorted(row)] for row in self.standby],
        }


def _parse_clients(field: Field) -> tuple[StreamsClient, ...]:
    entries = list(field.items())
    if not entries:
        raise field.fail("at least one client")
    for entry in entries:
        entry.get("id").text()
    unique([entry.get("id") for entry in entries], "client id")
    clients = []
    for entry in entries:
        rack, threads = entry.find("rack"), entry.find("threads")
        clients.append(
            StreamsClient(
                entry.get("id").text(),
                None if rack is None else rack.text(),
                1 if threads is None else threads.integer(1),
            )
        )
    return tuple(sorted(clients))


def _client(field: Field, position: dict[str, int]) -> int:
    found = position.get(field.value) if isinstance(field.value, str) else None
    if found is None:
        raise field.fail("the id of a client under `clients`")
    return found

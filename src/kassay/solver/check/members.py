"""Tasks for members inside processes as the checker reads them: an instance, and an assignment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kassay.solver.check.shapes import (
    COUNT,
    NAME,
    SIZE,
    TEXT,
    Document,
    Posed,
    RefusedError,
    fit,
    nullable,
    one_of,
    record,
    require,
    rows,
)

FAMILY: Final = "C"

_INSTANCE: Final = record(
    {
        "family": one_of(FAMILY),
        "clients": rows(record({"id": NAME, "members": rows(NAME)})),
        "tasks": SIZE,
        "standbys": SIZE,
        "active": rows(nullable(TEXT)),
        "standby": rows(rows(TEXT)),
    },
    {"name": TEXT, "stateless": rows(COUNT)},
)


class MemberCase(NamedTuple):
    """Tasks with their previous and new members; members and processes are identified by their position.

    `process` has each member's process, `sizes` the number of members of each process, `old` and `active` the
    member of each task, `state` the processes with its state, `standby` the members with a standby copy. A
    task with state has `following` of those.
    """

    process: list[int]
    sizes: list[int]
    stateful: list[bool]
    following: int
    old: list[int | None]
    state: list[frozenset[int]]
    active: list[int]
    standby: list[list[int]]

    @property
    def processes(self) -> int:
        """How many processes there are."""
        return len(self.sizes)

    @property
    def copied(self) -> int:
        """How many tasks have state."""
        return sum(self.stateful)


def speaks_of_members(document: Any) -> bool:
    """Whether a document of the family has members inside its clients, or stateless tasks."""
    if type(document) is not dict:
        return False
    clients = document.get("clients")
    entries = clients if type(clients) is list else []
    return "stateless" in document or any(type(entry) is dict and "members" in entry for entry in entries)


def pose_members(document: Any) -> Posed:
    """The instance of a document with members; raises `RefusedError` for one that is none.

    Its canonical form has clients and their members by id, and a task's standbys without those in its active
    process.
    """
    fit(_INSTANCE, document, "instance")
    clients = sorted(document["clients"], key=lambda client: str(client["id"]))
    tasks, stateless = document["tasks"], set(document.get("stateless") or ())
    process = {id_: client["id"] for client in clients for id_ in client["members"]}
    ids = {client["id"] for client in clients}
    require(bool(process), "the instance has no members")
    require(len(ids) == len(clients), "clients are not distinct")
    require(all(client["members"] for client in clients), "a client has no members")
    require(len(process) == sum(len(c["members"]) for c in clients), "members are not distinct")
    require(all(task < tasks for task in stateless), "a stateless task is none of the tasks")
    for field in ("active", "standby"):
        require(
            len(document[field]) == tasks, f"{field} has {len(document[field])} entries for {tasks} tasks"
        )
    for task, (lead, row) in enumerate(zip(document["active"], document["standby"], strict=True)):
        if not ids.issuperset(row) or not (lead is None or lead in process):
            raise RefusedError(f"task {task} is with a member that is not in the instance")
        if row and task in stateless:
            raise RefusedError(f"task {task} has no state, and there is a copy of it")
    form = {
        "family": FAMILY,
        "clients": [{"id": client["id"], "members": sorted(client["members"])} for client in clients],
        "standbys": document["standbys"],
        "stateless": sorted(stateless),
        "active": list(document["active"]),
        "standby": [
            sorted(set(row) - {process.get(lead)})
            for lead, row in zip(document["active"], document["standby"], strict=True)
        ],
    }
    size = f"{len(clients)} clients with {len(process)} members, {tasks} tasks ({len(stateless)} stateless)"
    return Posed(form, f"{size} with {document['standbys']} standbys")


def read_members(form: Document, certificate: Document) -> MemberCase:
    """The tasks of a certificate; raises `RefusedError` where a task lacks a required copy."""
    members = [(id_, place) for place, client in enumerate(form["clients"]) for id_ in client["members"]]
    number = {id_: m for m, (id_, _) in enumerate(members)}
    process = [place for _, place in members]
    tasks, sizes = len(form["active"]), [len(client["members"]) for client in form["clients"]]
    stateless = set(form["stateless"])
    following = min(form["standbys"], len(sizes) - 1)
    leads = _holders(certificate["assignment"], number, tasks)
    standby = _holders(certificate["standbys"], number, tasks)
    for task, (lead, row) in enumerate(zip(leads, standby, strict=True)):
        due = 0 if task in stateless else following
        if len(lead) != 1:
            raise RefusedError(f"task {task} has {len(lead)} active members")
        if len(row) != due:
            raise RefusedError(f"task {task} has {len(row)} standbys, expected {due}")
        if len({process[m] for m in (*lead, *row)}) < 1 + due:
            raise RefusedError(f"task {task} has two copies in one process")
    places = {client["id"]: place for place, client in enumerate(form["clients"])}
    old = [None if id_ is None else number[id_] for id_ in form["active"]]
    state = [
        frozenset(places[id_] for id_ in row)
        | ({process[lead]} if lead is not None and task not in stateless else set())
        for task, (lead, row) in enumerate(zip(old, form["standby"], strict=True))
    ]
    stateful = [task not in stateless for task in range(tasks)]
    active = [lead[0] for lead in leads]
    return MemberCase(process, sizes, stateful, following, old, state, active, standby)


def _holders(
    tasks_by_member: Mapping[str, list[int]], number: Mapping[str, int], tasks: int
) -> list[list[int]]:
    """The members that have each task, repeated as often as they have it."""
    require(tasks_by_member.keys() == number.keys(), "the tasks are not given to exactly the members")
    holders: list[list[int]] = [[] for _ in range(tasks)]
    for id_, given in tasks_by_member.items():
        for task in given:
            if task >= tasks:
                raise RefusedError(f"no task {task}")
            holders[task].append(number[id_])
    return holders

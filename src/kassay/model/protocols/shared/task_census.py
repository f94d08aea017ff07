"""Who runs which task and keeps a copy of which: what the invariants of Streams groups read of a world."""

from __future__ import annotations

from typing import Any, NamedTuple

from kassay.model.protocols.shared.census import Owned


class Holding(NamedTuple):
    """The tasks of one member on record, or of one thread in its own belief.

    `who` is its member id, or its client's name; `process` where it runs. `current`: its identity is that on
    record (always so of what is on record). `parting` are active tasks that it has still to give up.
    `commits` are those of its active tasks for which a commit would be accepted from it now.
    """

    who: str
    process: str
    active: Owned
    copies: Owned
    parting: Owned = ()
    current: bool = True
    commits: Owned = ()


class KnownEndpoints(NamedTuple):
    """What a client knows of where state can be asked for, and what is so; both sorted by endpoint."""

    client: str
    known: tuple[Any, ...]
    actual: tuple[Any, ...]


class StateReport(NamedTuple):
    """How far a client has said that the state of its tasks is, and what the coordinator knows of it."""

    client: str
    said: tuple[tuple[Any, int], ...]
    known: tuple[tuple[Any, int], ...]


class TaskCensus(NamedTuple):
    """The tasks of a world. `adopted` names the client that last took over each task that others still run.

    `ended` are the clients that an answer ended for good, with its error. At rest (`resting`) each of the
    `stateful` tasks is to have as many copies as `standbys` asks for, and as there are other processes.
    `endpoints` tell of the clients that will be told no more than they have been, `reports` of those that
    will say no more of their state.
    """

    record: tuple[Holding, ...]
    belief: tuple[Holding, ...]
    adopted: tuple[tuple[Any, str], ...] = ()
    stateful: Owned = ()
    standbys: int = 0
    resting: bool = False
    ended: tuple[tuple[str, str], ...] = ()
    endpoints: tuple[KnownEndpoints, ...] = ()
    reports: tuple[StateReport, ...] = ()

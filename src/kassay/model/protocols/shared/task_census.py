"""Task ownership and copies, which the invariants of Streams groups read from a world."""

from __future__ import annotations

from typing import Any, NamedTuple

from kassay.model.protocols.shared.census import Owned


class Holding(NamedTuple):
    """The recorded tasks of one member, or those that one thread believes it has.

    `who` is its member id or the name of its client; `process` is its process. `current`: its identity is the
    recorded one (always true for recorded tasks). `parting`: active tasks that it still has to revoke.
    `commits`: its active tasks for which the coordinator would accept a commit from it now.
    """

    who: str
    process: str
    active: Owned
    copies: Owned
    parting: Owned = ()
    current: bool = True
    commits: Owned = ()


class KnownEndpoints(NamedTuple):
    """The endpoints that a client knows, and the actual ones; both sorted by endpoint."""

    client: str
    known: tuple[Any, ...]
    actual: tuple[Any, ...]


class StateReport(NamedTuple):
    """The task offsets that a client has reported, and those that the coordinator knows."""

    client: str
    said: tuple[tuple[Any, int], ...]
    known: tuple[tuple[Any, int], ...]


class TaskCensus(NamedTuple):
    """The tasks of a world. `adopted`: the client that last adopted each task that others still run.

    `ended` are the clients that a reply ended for good, with its error. In a stable world (`resting`), each
    of the `stateful` tasks must have as many copies as `standbys` requests and other processes allow.
    `endpoints` cover the clients that will get no further endpoints, `reports` those that will report no
    further offsets.
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

"""Ownership by belief and by registry, which invariants read from any world.

Ownership has two meanings: the partitions that a client would process (belief), and those that the
coordinator or the znodes record (registry). A zombie is a live client with a belief that the registry no
longer supports. The invariants of Streams groups read a census of tasks next to it: who runs which task,
and who keeps a copy of which.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from kassay.model.explore.values import Severity

Owned: TypeAlias = tuple[Any, ...]
"""Partitions: numbers in the oldest models, topic partitions in the others; always sorted."""


class Belief(NamedTuple):
    """One client. `current`: its member id and generation (epoch) are the registry's.

    `settled`: it has adopted its last assignment and waits for nothing. `commits`: the coordinator would
    accept a commit from it now, except for its partitions in `refused` (KIP-1251). `rejoined`: it is
    registered and takes part in the current round (a static member that missed it is registered all the
    same). `joined`: the client itself believes that it is a member. `ahead`: it gave partitions up after
    processing more than it had committed.
    """

    client: str
    member_id: str
    live: bool
    current: bool
    settled: bool
    owned: Owned
    commits: bool = False
    rejoined: bool = True
    joined: bool = True
    ahead: bool = False
    refused: Owned = ()

    @property
    def committable(self) -> Owned:
        """The partitions that it owns and for which a commit would be accepted now."""
        if not self.refused:
            return self.owned if self.commits else ()
        return tuple(tp for tp in self.owned if tp not in self.refused) if self.commits else ()


class Registered(NamedTuple):
    """One registered member, its subscribed topics, and its recorded partitions."""

    member_id: str
    group_instance_id: str
    topics: tuple[str, ...]
    owned: Owned


class Census(NamedTuple):
    """A world's ownership. `resting`: the registry awaits nothing and every live client is settled.

    `wanted`: the existing partitions with subscribers. `adopted`: the client that last adopted each
    partition. `target`: the target of each member, `caught_up`: the members at the target epoch (KIP-848).
    `excused`: a static leader returned and trusts an assignment that may predate metadata changes during its
    absence; the next round will see them (KIP-814). `awaiting`: a classic group in CompletingRebalance, which
    awaits its assignment.
    """

    beliefs: tuple[Belief, ...]
    registry: tuple[Registered, ...]
    wanted: Owned
    resting: bool
    adopted: tuple[tuple[Any, str], ...] = ()
    target: tuple[tuple[str, Owned], ...] = ()
    caught_up: tuple[str, ...] = ()
    excused: bool = False
    awaiting: bool = False


class Breach(NamedTuple):
    """An invariant that an accepted commit broke, by name, with the evidence."""

    invariant: str
    message: str
    severity: Severity = Severity.REAL


def complete(census: Census) -> bool:
    """Whether every wanted partition has exactly one recorded owner, which believes exactly that."""
    held = sorted(tp for entry in census.registry for tp in entry.owned)
    if held != sorted(census.wanted) and any(belief.live for belief in census.beliefs):
        return False
    believed = {belief.member_id: belief.owned for belief in census.beliefs if belief.live}
    return all(sorted(believed.get(entry.member_id, ())) == sorted(entry.owned) for entry in census.registry)


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

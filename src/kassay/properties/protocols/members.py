"""Who may be in a group: invariants over members, the timers that watch them, and their clients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from kassay.model.explore import Finding, Severity
from kassay.properties.protocols.registry import (
    CLIENTS,
    PRESENCE,
    SESSIONS,
    Presence,
    WatchedSessions,
    always,
    each_step,
)

RETRIABLE: Final = frozenset({"NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS"})


@always("members-watched", SESSIONS, short="I15", source="KAFKA-9752")
def members_watched(watch: WatchedSessions) -> Iterator[Finding]:
    """Nobody can die unnoticed: every member is watched by a session timer.

    Excused are members that wait in a JoinGroup (unless new) or SyncGroup: their expiry is ignored, and
    the timer comes back with the reply.
    """
    for member in watch.group.members if watch.group is not None else ():
        if member.member_id not in watch.armed and member.member_id not in watch.excused:
            yield Finding(Severity.REAL, f"{member.member_id} is a member, and no session timer watches it")


@each_step("member-id-kept", CLIENTS, short="I16", source="KAFKA-13214")
def member_id_kept(before: Iterable[Any], after: Iterable[Any]) -> Iterator[Finding]:
    """A retriable error never costs a client its member id: the old one would linger as a ghost."""
    for number, (old, new) in enumerate(zip(before, after), 1):
        error = getattr(old.inbox[0], "error", "") if old.inbox else ""
        heard = error in RETRIABLE and not new.inbox and old.run == new.run
        if heard and old.member_id and not new.member_id:
            yield Finding(Severity.REAL, f"c{number} forgets its member id {old.member_id} over {error}")


@each_step(
    "live-members-kept",
    PRESENCE,
    short="I17",
    source="KIP-62; the rule that a session outlasts three heartbeat intervals",
)
def live_members_kept(before: Presence, after: Presence) -> Iterator[Finding]:
    """A member that is alive, sends its heartbeats and polls is never removed.

    Promised only where the lost heartbeats leave the session enough time; who leaves in order no longer
    polls.
    """
    gone = before.known - after.known
    for client, member in before.polling:
        if member in gone and (client, member) in after.polling:
            yield Finding(Severity.REAL, f"{member} is removed though {client} is alive and polls")

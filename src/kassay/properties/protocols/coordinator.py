"""Invariants of the coordinator and its members: epochs, stored records, timers, polling members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from kassay.model.explore.values import Finding
from kassay.model.protocols.values.groups import (
    COMPLETING,
    MEMBER_STABLE,
    PREPARING,
    STABLE,
    UNREVOKED,
    ClassicGroup,
    ConsumerGroup,
    ConsumerMember,
    Group,
)
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup
from kassay.properties.protocols.registry import (
    CLASSIC_GROUP,
    CLIENTS,
    CONSUMER_GROUP,
    LOADED,
    METADATA,
    PRESENCE,
    SESSIONS,
    STORED,
    STREAMS_GROUP,
    UNWRITTEN,
    HeldGroup,
    LoadedGroup,
    Presence,
    WatchedSessions,
    always,
    each_step,
    real,
)

RETRIABLE: Final = frozenset({"NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS"})
NEVER_BACK: Final = "epochs-never-go-back"
_GROW: Final = "generations and epochs only grow, except to what was persisted"


def _assigns(old: ClassicGroup, new: ClassicGroup) -> bool:
    """Whether a group begins to await its assignment, or has just received it."""
    return old.state != new.state and (
        new.state == COMPLETING or (old.state, new.state) == (COMPLETING, STABLE)
    )


@each_step(
    "one-assignment-per-generation",
    CLASSIC_GROUP,
    short="I6",
    source="the classic protocol: one leader a generation",
    where=_assigns,
)
def one_assignment_per_generation(old: ClassicGroup, new: ClassicGroup) -> Iterator[Finding]:
    """A generation is assigned once, and only a new generation awaits an assignment."""
    if old.state == PREPARING and new.generation != old.generation + 1:
        yield real(f"generation {old.generation} is followed by generation {new.generation}")
    if old.state == STABLE and new.generation == old.generation:
        yield real(f"generation {new.generation} is to be assigned twice")
    if new.state == STABLE:
        if new.generation != old.generation:
            yield real(f"generation {old.generation} became {new.generation} by an assignment")
        if new.leader not in {member.member_id for member in new.members}:
            yield real(f"the leader {new.leader!r} of generation {new.generation} is no member")


@each_step(NEVER_BACK, CLASSIC_GROUP, short="I10", source=_GROW)
def generations_never_go_back(old: ClassicGroup, new: ClassicGroup) -> Iterator[Finding]:
    """Generations, group, target and member epochs never decrease while a coordinator lives."""
    if new.generation < old.generation:
        yield real(f"generation {old.generation} is followed by generation {new.generation}")


def epochs_never_go_back(
    old: ConsumerGroup | StreamsTaskGroup, new: ConsumerGroup | StreamsTaskGroup
) -> Iterator[Finding]:
    """No epoch of a group, its target or a member decreases, except to 0, which starts over."""
    for name, was, now in (
        ("epoch", old.epoch, new.epoch),
        ("target epoch", old.target_epoch, new.target_epoch),
    ):
        if now < was:
            yield real(f"the group's {name} {was} is followed by {now}")
    was_by_id = {member.member_id: member.epoch for member in old.members}
    for member in new.members:
        was = was_by_id.get(member.member_id, -1)
        if 0 < member.epoch < was:
            yield real(f"epoch {was} of {member.member_id} is followed by {member.epoch}")


each_step(NEVER_BACK, CONSUMER_GROUP, short="I10", source=_GROW)(epochs_never_go_back)
each_step(NEVER_BACK, STREAMS_GROUP, short="I10", source=_GROW)(epochs_never_go_back)


@each_step(NEVER_BACK, STORED, short="I10", source=_GROW)
def stored_once(before: Any, after: Any) -> Iterator[Finding]:
    """At most one assignment is stored per generation: another assignment has another number."""
    if after.generation <= before.generation and after.members and before.assignment != after.assignment:
        yield real(f"generation {after.generation} has a second recorded assignment")


@always("epochs-in-order", CONSUMER_GROUP, short="I11", source="KIP-848")
def epochs_in_order(group: ConsumerGroup) -> Iterator[Finding]:
    """Member epoch <= target epoch <= group epoch, and pending partitions exactly while unrevoked."""
    if group.target_epoch > group.epoch:
        yield real(f"target epoch {group.target_epoch} is above group epoch {group.epoch}")
    for member in group.members:
        if member.epoch in (-2, 0):
            continue
        if member.epoch > group.target_epoch:
            yield real(
                f"{member.member_id} is at epoch {member.epoch}, above target epoch {group.target_epoch}"
            )
        if member.state == MEMBER_STABLE and member.pending:
            yield real(f"{member.member_id} is stable and has pending {','.join(map(str, member.pending))}")
        if member.state == UNREVOKED and not member.pending:
            yield real(f"{member.member_id} is unrevoked with nothing pending")
    held: dict[Any, str] = {}
    for member in group.members:
        for tp in (*member.assigned, *member.pending):
            if tp in held:
                yield real(f"{tp} is held by {held[tp]} and {member.member_id}")
            held[tp] = member.member_id


def _heard(old: ConsumerGroup, new: ConsumerGroup) -> Iterator[ConsumerMember]:
    """The current members that a step changed."""
    was = {member.member_id: member for member in old.members}
    for member in new.members:
        if member.epoch >= 0 and was.get(member.member_id) != member:
            yield member


def _unread(new: ConsumerGroup, member: ConsumerMember, topics: Iterable[str]) -> list[str]:
    """The topics among these to which a member does not subscribe."""
    return sorted(set(topics).difference(member.reads(new.resolved)))


@each_step(
    "assigned-is-subscribed",
    CONSUMER_GROUP,
    source="KAFKA-19431",
    where=lambda old, new: any(
        _unread(new, member, (topic.name for topic in new.topics)) for member in _heard(old, new)
    ),
)
def assigned_is_subscribed(old: ConsumerGroup, new: ConsumerGroup) -> Iterator[Finding]:
    """After its heartbeat a member keeps no partition of a topic to which it does not subscribe.

    Partitions that it must still revoke are pending. A member whose subscription changed may not get
    partitions that it no longer subscribes to, even under an older target.
    """
    for member in _heard(old, new):
        for topic in _unread(new, member, (tp.topic for tp in member.assigned)):
            yield real(f"{member.member_id} is left with {topic}, to which it does not subscribe")


@each_step("topics-never-shrink", METADATA, short="I14", source="KIP-195")
def topics_never_shrink(before: Any, after: Any) -> Iterator[Finding]:
    """No topic loses partitions."""
    counts = {topic.topic_id: topic.partitions for topic in after}
    for topic in before:
        if counts.get(topic.topic_id, topic.partitions) < topic.partitions:
            yield real(f"topic {topic.name} shrank")


@always(
    "members-watched",
    SESSIONS,
    short="I15",
    source="KAFKA-9752",
    where=lambda watch: watch.group is not None and bool(watch.group.members),
)
def members_watched(watch: WatchedSessions) -> Iterator[Finding]:
    """No member can die unnoticed: a session timer watches every member.

    The revocation timer of a member's epoch counts as well, if it is the only one left. Members that wait in
    a JoinGroup (unless new) or SyncGroup are exempt: their expiry is ignored, and the timer restarts with the
    reply.
    """
    for member in watch.group.members:
        if member.member_id not in watch.armed and member.member_id not in watch.excused:
            yield real(f"{member.member_id} is a member, and no session timer watches it")


@each_step(
    "unwritten-not-in-force",
    UNWRITTEN,
    source="CoordinatorRuntime undoes a failed write; GroupMetadataManager does it for classic groups",
)
def unwritten_not_in_force(before: HeldGroup, after: HeldGroup) -> Iterator[Finding]:
    """A failed write takes no effect: no member joins, is replaced or is assigned anything by it.

    A group of another kind stays unchanged, except for the time at which its topics were looked up, which is
    not written. A classic group changes before it writes, and keeps the changes that do not need the write:
    removed members, a rebalance that has begun.
    """
    old, new = before.group, after.group
    if old is None or not isinstance(old, ClassicGroup):
        if _remembered(new) != _remembered(old):
            yield real("a write failed, and the group has changed")
        return
    if not isinstance(new, ClassicGroup):
        yield real("a write failed, and the group is of another kind")
        return
    ids = {member.member_id for member in old.members}
    for member in new.members:
        if member.member_id not in ids:
            yield real(f"a write failed, and it made {member.member_id} a member")
    if new.state == STABLE and (old.state != STABLE or _assigned(old) != _assigned(new)):
        yield real(f"a write failed, and the assignment of generation {new.generation} is in force")


def _remembered(group: Group) -> Group:
    """A group without its unlogged state: the time at which a consumer group's topics were looked up."""
    return group._replace(refreshed=()) if isinstance(group, ConsumerGroup) else group


@always("every-log-loads", LOADED, source="KAFKA-19862, KAFKA-20254")
def every_log_loads(loaded: LoadedGroup) -> Iterator[Finding]:
    """A new coordinator can read the log, whatever a cleaner left of it."""
    if not loaded.readable:
        yield real("the log was compacted, and the new coordinator cannot read it")


@each_step(
    "compaction-means-nothing",
    LOADED,
    source="KAFKA-19862",
    where=lambda _, after: after.readable,
)
def compaction_means_nothing(before: LoadedGroup, after: LoadedGroup) -> Iterator[Finding]:
    """A cleaned log yields the same group as the whole log, whatever the cleaner left of it."""
    if before.whole != after.group:
        yield real("the log was compacted, and it yields another group than the whole log")


def _assigned(group: ClassicGroup) -> list[tuple[str, object]]:
    return [(member.member_id, member.assignment) for member in group.members]


def _hearing(before: Iterable[Any], after: Iterable[Any]) -> Iterator[tuple[int, Any, Any]]:
    """Each client that gets a retriable error while it has a member id: its number, before and after."""
    for number, (old, new) in enumerate(zip(before, after), 1):
        error = getattr(old.inbox[0], "error", "") if old.inbox else ""
        if error in RETRIABLE and not new.inbox and old.run == new.run and old.member_id:
            yield number, old, new


@each_step(
    "member-id-kept",
    CLIENTS,
    short="I16",
    source="KAFKA-13214",
    where=lambda before, after: any(True for _ in _hearing(before, after)),
)
def member_id_kept(before: Iterable[Any], after: Iterable[Any]) -> Iterator[Finding]:
    """A retriable error never costs a client its member id: the old one would remain as a ghost."""
    for number, old, new in _hearing(before, after):
        if not new.member_id:
            yield real(f"c{number} forgets its member id {old.member_id} over {old.inbox[0].error}")


@each_step(
    "live-members-kept",
    PRESENCE,
    short="I17",
    source="KIP-62; the rule that a session outlasts three heartbeat intervals",
    where=lambda before, after: bool(before.known - after.known),
)
def live_members_kept(before: Presence, after: Presence) -> Iterator[Finding]:
    """A live member that sends its heartbeats and polls is never removed.

    Guaranteed only if lost heartbeats leave the session enough time; a member that leaves in order no longer
    polls.
    """
    gone = before.known - after.known
    for client, member in before.polling:
        if member in gone and (client, member) in after.polling:
            yield real(f"{member} is removed though {client} is alive and polls")

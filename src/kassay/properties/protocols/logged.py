"""What a coordinator keeps in memory against what its log gives, the numbers it gives out, and its timers.

The names, and what Kafka keeps in memory alone, are the same for the models and for Kafka's own classes
(`kassay conform`): this is their one home. A number that only a client outside the group still holds, and a
timer that the return of its member replaces, harm no one: these are outcomes, everything else is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from kassay.model.explore.values import Finding
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.groups import (
    COMPLETING,
    EMPTY,
    PREPARING,
    STABLE,
    ClassicGroup,
    ConsumerGroup,
    Group,
)
from kassay.model.protocols.values.streams_groups import REFRESH_DUE, Remembered, StreamsTaskGroup
from kassay.properties.protocols.registry import (
    ANSWERED,
    ARMED,
    GIVEN_OUT,
    LOADABLE,
    LOGGED,
    ArmedTimers,
    GivenNumbers,
    LoggedGroup,
    always,
    each_step,
    outcome,
    real,
)

MEMORY: Final = "memory-is-log"
LOADS: Final = "every-log-loads"
ONCE: Final = "generation-once"
EPOCH_0: Final = "no-epoch-zero"
GONE: Final = "no-timer-of-what-is-gone"
TIMER: Final = "no-exception-in-timer"


class Unwritten(NamedTuple):
    """What Kafka keeps in memory alone: the group's type, the fields, why, and where (4.4.0).

    `fields` are the model's, `shown` those of a genuine state; `when` says in which states, "" in all.
    """

    type: str
    fields: tuple[str, ...]
    shown: tuple[str, ...]
    why: str
    source: str
    when: str = ""


MEMBERS: Final = "members."
"""What a field of each member begins with."""
UNWRITTEN: Final = (
    Unwritten(
        "every",
        (),
        ("timers",),
        "session clocks and all other timers start again",
        "GroupMetadataManager.onLoaded, 6760-6830",
    ),
    Unwritten(
        "consumer",
        ("refreshed",),
        ("metadata_expired", "more.metadata_expired"),
        "when topics are looked up again",
        "ModernGroup.setMetadataRefreshDeadline, 398",
    ),
    Unwritten(
        "streams",
        ("endpoint_epoch", "endpoints"),
        ("endpoint_epoch",),
        "the count of endpoint changes starts at 0",
        "StreamsGroup.setEndpointInformationEpoch, 1465",
    ),
    Unwritten(
        "streams",
        ("refreshed", "remembered", "remembered_at_append"),
        (),
        "the configured topology and the steps within an epoch are computed again",
        "StreamsGroup.setConfiguredTopology, 385",
    ),
    Unwritten(
        "streams",
        ("delayed",),
        (),
        "the initial rebalance delay does not go on",
        "GroupMetadataManager.streamsGroupInitialRebalanceDelayMs, streamsInitialRebalanceKey",
    ),
    Unwritten(
        "streams",
        ("shutdown_by",),
        (),
        "a request to stop the application is forgotten",
        "StreamsGroup.setShutdownRequestMemberId, 1443",
    ),
    Unwritten(
        "streams", ("task_offsets",), (), "reported offsets of tasks", "StreamsGroup.updateTaskOffsets"
    ),
    Unwritten(
        "classic",
        ("pending_join", "pending_sync", "new_member_added", "initial"),
        ("pending_join", "pending_sync", "new_member_added"),
        "an open join phase: ids that were handed out, who still has to send what",
        "ClassicGroup.addPendingMember, 618; addPendingSyncMember, 640; setNewMemberAdded, 391",
    ),
    Unwritten(
        "classic",
        ("members.awaiting_join", "members.awaiting_sync", "members.is_new"),
        ("members.awaiting_join", "members.awaiting_sync", "members.is_new"),
        "parked requests",
        "ClassicGroupMember.setAwaitingJoinFuture, 403",
    ),
    Unwritten(
        "classic",
        ("members.protocols",),
        ("members.protocols", "subscribed_topics"),
        "protocols of members other than the selected one",
        "GroupCoordinatorRecordHelpers.newGroupMetadataRecord, 379-415",
    ),
    Unwritten(
        "classic",
        ("leader", "protocol_type"),
        ("leader", "protocol_type"),
        "the leader and the protocol type of a group without members",
        "GroupCoordinatorRecordHelpers.newGroupMetadataRecord, 379-415",
        "Empty",
    ),
)
"""What `memory-is-log` leaves out; `docs/conform.md` has the same table."""
WRITTEN_STATES: Final = (EMPTY, STABLE)
"""A classic group is written when it becomes one of these; an open join phase is in memory alone."""


def unwritten(kind: str, state: str = "") -> tuple[str, ...]:
    """The fields of a genuine state that a group of this type, in this state, has in memory alone."""
    rows = (row for row in UNWRITTEN if row.type in (kind, "every") and row.when in ("", state))
    return tuple(name for row in rows for name in row.shown)


_OF_STREAMS: Final[Mapping[str, Any]] = {
    "endpoint_epoch": 0,
    "endpoints": (),
    "refreshed": REFRESH_DUE,
    "remembered": Remembered(),
    "remembered_at_append": Remembered(),
    "delayed": False,
    "shutdown_by": "",
    "task_offsets": (),
}


def as_logged(group: Group) -> Group:
    """A group without what its coordinator keeps in memory alone."""
    if isinstance(group, ConsumerGroup):
        return group._replace(refreshed=())
    if isinstance(group, StreamsTaskGroup):
        copies = tuple((task, processes) for task, processes in group.copies if processes)
        return group._replace(copies=copies, **_OF_STREAMS)
    if group is None:
        return None
    selected = group.protocol
    members = tuple(
        member._replace(
            awaiting_join=requests.NO_REQUEST,
            awaiting_sync=requests.NO_REQUEST,
            is_new=False,
            protocols=tuple(one for one in member.protocols if one[0] == selected),
        )
        for member in group.members
    )
    after = group._replace(
        members=members,
        pending_join=(),
        pending_sync=(),
        new_member_added=False,
        initial=False,
        subscribed_topics=(),
    )
    return after if members else after._replace(leader="", protocol_type="")


@always(
    MEMORY,
    LOGGED,
    source="CoordinatorRuntime: state is a replay of the log",
    where=lambda seen: not isinstance(seen.memory, ClassicGroup) or seen.memory.state in WRITTEN_STATES,
)
def memory_is_log(seen: LoggedGroup) -> Iterator[Finding]:
    """Memory is what a new coordinator reads out of the log.

    Left out is what Kafka keeps in memory alone (`UNWRITTEN`), and a classic group in an open join phase.
    """
    memory, log = as_logged(seen.memory), as_logged(seen.log)
    if memory != log:
        yield real(_first_difference(memory, log))


def _first_difference(memory: Group, log: Group) -> str:
    if memory is None or log is None or type(memory) is not type(log):
        return f"in memory there is {_kind(memory)}, in the log {_kind(log)}"
    names = [name for name in memory._fields if getattr(memory, name) != getattr(log, name)]
    small = [name for name in names if isinstance(getattr(memory, name), int | str)]
    shown = [f"{name} {getattr(memory, name)!r}, in the log {getattr(log, name)!r}" for name in small]
    return f"memory has {'; '.join(shown) or 'other ' + ', '.join(names)}"


def _kind(group: Group) -> str:
    if group is None:
        return "no group"
    names = {ClassicGroup: "a classic group", ConsumerGroup: "a consumer group"}
    return names.get(type(group), "a Streams group")


@always(LOADS, LOADABLE, source="KAFKA-20254; GroupMetadataManager.getOrMaybeCreatePersisted...Group")
def every_takeover_loads(refused: tuple[tuple[str, str], ...]) -> Iterator[Finding]:
    """A new coordinator can read the log, whatever a cleaner left of it, and whoever takes the id next."""
    for protocol, why in refused:
        yield real(f"a {protocol} member takes the group id, and the log does not load: {why}")


def new_numbers(old: Group, new: Group) -> tuple[int, ...]:
    """The numbers that a step gives out: the generation of a join phase that ends, or new group epochs."""
    if isinstance(new, ClassicGroup):
        begins = not isinstance(old, ClassicGroup) or old.state == PREPARING
        return (new.generation,) if new.state == COMPLETING and begins else ()
    if new is None:
        return ()
    if isinstance(old, ClassicGroup):
        former = old.generation if old.members else 0
    else:
        former = old.epoch if old is not None and type(old) is type(new) else 0
    return tuple(range(former + 1, new.epoch + 1))


@each_step(ONCE, GIVEN_OUT, source="KIP-345, KIP-848: a number names one assignment")
def number_once(before: GivenNumbers, after: GivenNumbers) -> Iterator[Finding]:
    """A generation or epoch number is never given out twice."""
    numbers = new_numbers(before.group, after.group)
    members = {member.member_id for member in after.group.members} if after.group is not None else set()
    for name, member_id, number in before.held:
        if number in numbers:
            text = f"{number} is given out again, and {name} still has it from before"
            yield real(f"{text}, as the member {member_id}") if member_id in members else outcome(text)


@always(EPOCH_0, ANSWERED, source="KIP-848: epoch 0 is a request to join; JoinGroup's generations begin at 1")
def no_epoch_0(members: tuple[str, ...]) -> Iterator[Finding]:
    """No OK answer gives a member epoch or generation 0."""
    for name in members:
        yield real(f"{name} was answered OK with 0, with which a client says that it is in no group")


def _kept(timers: ArmedTimers) -> Iterator[tuple[requests.SetTimer, bool]]:
    """Each timer of what is gone, and whether it acts on the whole group when it fires."""
    group = timers.group
    classic = isinstance(group, ClassicGroup)
    members = {member.member_id for member in group.members} if group is not None else set()
    if isinstance(group, ClassicGroup):
        members |= {*group.pending_join}
    for order in timers.armed:
        kind, member = order.timer
        if order.outlived or (group is not None and (kind in requests.OF_CLASSIC_GROUPS) is not classic):
            yield order, False
        elif member:
            if member not in members:
                yield order, False
        elif group is None or (kind == requests.JOIN and _state(group) != PREPARING):
            yield order, True


def _state(group: Group) -> str:
    return group.state if isinstance(group, ClassicGroup) else ""


@always(GONE, ARMED, source="GroupMetadataManager: timers are cancelled with what they wait for")
def no_timer_of_what_is_gone(timers: ArmedTimers) -> Iterator[Finding]:
    """No timer waits for a member, a join phase or a group that is gone."""
    for order, acts in _kept(timers):
        what = f"the timer {' '.join(filter(None, order.timer))} is armed, and what it waits for is gone"
        yield real(what) if acts else outcome(what)


def _throws(before: ArmedTimers, after: ArmedTimers) -> bool:
    """Whether a join phase ends in an empty group, which Kafka's state machine forbids."""
    old, new = before.group, after.group
    if not (isinstance(old, ClassicGroup) and isinstance(new, ClassicGroup)):
        return False
    return old.state == new.state == EMPTY and new.generation == old.generation + 1


@each_step(TIMER, ARMED, source="ClassicGroup.transitionTo: Empty comes after PreparingRebalance only")
def no_exception_in_timer(before: ArmedTimers, after: ArmedTimers) -> Iterator[Finding]:
    """No timer ends with an exception that is not an error of the protocol."""
    if _throws(before, after):
        yield real("a join timer fires in an empty group: IllegalStateException")

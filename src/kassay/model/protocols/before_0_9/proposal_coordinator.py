"""The coordinator of the proposal, and what its world holds: two state machines as data, and frozen values.

`CONSUMER` and `COORDINATOR`. The state of the proposal's consumers, coordinator and ZooKeeper, as frozen
values. The coordinator of the proposal: its answers and its own steps, checked against `COORDINATOR`.
Source: "Kafka Consumer" by Jason Guo (2015), redesign of the consumer: the states and transitions of
both.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from kassay.model.explore.values import Action
from kassay.model.protocols.before_0_9.zookeeper import Share
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.table import IGNORE, Rule, Table, check_move, look_up, total


class ProposalState(StrEnum):
    """Consumer states."""

    DOWN = "Down"
    DISCOVER = "Start up & discover coordinator"
    PART = "Part of a group"
    REDISCOVER = "Rediscover coordinator"
    STOPPED = "Stopped consumption"


class ProposalEvent(StrEnum):
    """The actions of a consumer and the replies to it."""

    START = "start"
    FOUND = "coordinator found"
    JOINED = "JoinGroup ok"
    HEARTBEAT_OK = "heartbeat ok"
    ILLEGAL_GENERATION = "IllegalGeneration"
    NOT_COORDINATOR = "NotCoordinator or disconnect"
    NOT_READY = "CoordinatorStartupNotComplete"
    STOP = "close or crash"


_STOP: Final = {
    ProposalEvent.STOP: Rule((ProposalState.DOWN,), "gone; the coordinator will miss its heartbeats")
}
_NOT_READY: Final = {ProposalEvent.NOT_READY: IGNORE}

_CONSUMER: Final[Table] = {
    ProposalState.DOWN: {ProposalEvent.START: Rule((ProposalState.DISCOVER,), "ask any broker")},
    ProposalState.DISCOVER: _STOP
    | _NOT_READY
    | {
        ProposalEvent.FOUND: Rule((ProposalState.DISCOVER,), "send JoinGroup"),
        ProposalEvent.JOINED: Rule((ProposalState.PART,), "adopt generation and partitions, fetch"),
        ProposalEvent.NOT_COORDINATOR: Rule((ProposalState.DISCOVER,), "ask again"),
    },
    ProposalState.PART: _STOP
    | _NOT_READY
    | {
        ProposalEvent.HEARTBEAT_OK: Rule((ProposalState.PART,), "go on"),
        ProposalEvent.ILLEGAL_GENERATION: Rule((ProposalState.STOPPED,), "stop fetching, commit"),
        ProposalEvent.NOT_COORDINATOR: Rule((ProposalState.REDISCOVER,), "keep consuming, ask any broker"),
    },
    ProposalState.REDISCOVER: _STOP
    | {
        ProposalEvent.FOUND: Rule(
            (ProposalState.PART, ProposalState.STOPPED),
            "heartbeat with the own generation; join if stopped before",
        ),
        ProposalEvent.NOT_COORDINATOR: IGNORE,
    },
    ProposalState.STOPPED: _STOP
    | _NOT_READY
    | {
        ProposalEvent.JOINED: Rule((ProposalState.PART,), "adopt the new generation and partitions, fetch"),
        ProposalEvent.NOT_COORDINATOR: Rule((ProposalState.REDISCOVER,), "stay stopped, ask any broker"),
    },
}
CONSUMER: Final = total(ProposalEvent, _CONSUMER)


class Phase(StrEnum):
    """Coordinator states."""

    DOWN = "Down"
    CATCH_UP = "Catch up"
    READY = "Ready"
    PREPARE = "Prepare for rebalance"
    REBALANCING = "Rebalancing"


class PhaseEvent(StrEnum):
    """The events of a coordinator."""

    ELECTED = "elected"
    LOADED = "loaded"
    HEARTBEAT = "heartbeat of this generation"
    BEHIND = "heartbeat of another generation"
    JOIN = "JoinGroup"
    TRIGGER = "member expired, partitions changed"
    ALL_JOINED = "all joined, or join timer"
    ALL_BACK = "all heartbeat with the new generation"
    LOST = "lost leadership"


_STARTING: Final = Rule((Phase.CATCH_UP,), "CoordinatorStartupNotComplete")
_LOST: Final = {PhaseEvent.LOST: Rule((Phase.DOWN,), "NotCoordinator to all")}
_REBALANCE: Final = Rule(
    (Phase.PREPARE, Phase.READY),
    "heartbeats get IllegalGeneration from now on; if no member is left: store that, Ready",
)

_COORDINATOR: Final[Table] = {
    Phase.DOWN: {PhaseEvent.ELECTED: Rule((Phase.CATCH_UP,), "read groups from ZooKeeper")}
    | dict.fromkeys(
        (PhaseEvent.HEARTBEAT, PhaseEvent.BEHIND, PhaseEvent.JOIN),
        Rule((Phase.DOWN,), "NotCoordinator"),
    ),
    Phase.CATCH_UP: _LOST
    | dict.fromkeys((PhaseEvent.HEARTBEAT, PhaseEvent.BEHIND, PhaseEvent.JOIN), _STARTING)
    | {PhaseEvent.LOADED: Rule((Phase.READY, Phase.PREPARE), "compare what is stored with what is there")},
    Phase.READY: _LOST
    | {
        PhaseEvent.HEARTBEAT: Rule((Phase.READY,), "ok"),
        PhaseEvent.BEHIND: Rule(
            (Phase.READY, Phase.PREPARE), "IllegalGeneration; rebalance if it is a member"
        ),
        PhaseEvent.JOIN: Rule((Phase.PREPARE,), "park; rebalance"),
        PhaseEvent.TRIGGER: _REBALANCE,
    },
    Phase.PREPARE: _LOST
    | {
        PhaseEvent.HEARTBEAT: Rule((Phase.PREPARE,), "IllegalGeneration"),
        PhaseEvent.BEHIND: Rule((Phase.PREPARE,), "IllegalGeneration"),
        PhaseEvent.JOIN: Rule((Phase.PREPARE,), "park"),
        PhaseEvent.TRIGGER: Rule(
            (Phase.PREPARE, Phase.READY),
            "drop the member, or note the partitions; if no member is left: store that, Ready",
        ),
        PhaseEvent.ALL_JOINED: Rule((Phase.REBALANCING,), "generation + 1, assign, one atomic write"),
    },
    Phase.REBALANCING: _LOST
    | {
        PhaseEvent.HEARTBEAT: Rule((Phase.REBALANCING,), "ok"),
        PhaseEvent.BEHIND: Rule((Phase.REBALANCING,), "IllegalGeneration"),
        PhaseEvent.JOIN: Rule((Phase.PREPARE,), "park; rebalance again"),
        PhaseEvent.TRIGGER: _REBALANCE,
        PhaseEvent.ALL_BACK: Rule((Phase.READY,), "done"),
    },
}
COORDINATOR: Final = total(PhaseEvent, _COORDINATOR)


class ProposalConsumer(NamedTuple):
    """One consumer. `waits`: its JoinGroup is parked. `stopped`: it stopped before rediscovery."""

    status: ProposalState = ProposalState.DOWN
    generation: int = -1
    owned: tuple[int, ...] = ()
    waits: bool = False
    stopped: bool = False
    paused: bool = False
    finds: bool = True


class StoredProposal(NamedTuple):
    """ZooKeeper's data of the group; written in one piece."""

    generation: int = 0
    members: tuple[int, ...] = ()
    assignment: tuple[tuple[int, ...], ...] = ()
    partitions: int = 0


class ProposalCoordinator(NamedTuple):
    """The current coordinator: `parked` joins, `unsent` replies, and `back`, the members heard from.

    `half`: the assignment is written and the generation is not (switch `split_persist`).
    """

    status: Phase = Phase.READY
    generation: int = 0
    members: tuple[int, ...] = ()
    assignment: tuple[tuple[int, ...], ...] = ()
    partitions: int = 0
    parked: tuple[int, ...] = ()
    unsent: tuple[int, ...] = ()
    back: tuple[int, ...] = ()
    half: bool = False


class ProposalWorld(NamedTuple):
    """Consumers, coordinator, ZooKeeper, the true number of partitions, and the fault budget."""

    consumers: tuple[ProposalConsumer, ...]
    coordinator: ProposalCoordinator
    stored: StoredProposal
    partitions: int
    budget: Faults


Steps: TypeAlias = Iterator[tuple[Action, ProposalWorld]]
"""Every enabled action with the world it leads to."""


def put(state: ProposalWorld, c: int, consumer: ProposalConsumer) -> ProposalWorld:
    """The world with one consumer replaced."""
    consumers = state.consumers
    return state._replace(consumers=(*consumers[:c], consumer, *consumers[c + 1 :]))


def moved(before: ProposalCoordinator, event: PhaseEvent, after: ProposalCoordinator) -> ProposalCoordinator:
    """Returns `after` if the table allows `event` to lead there; raises `IllegalTransition` otherwise."""
    check_move(COORDINATOR, before.status, event, after.status)
    return after


def hear_heartbeat(
    coordinator: ProposalCoordinator, c: int, generation: int
) -> tuple[ProposalCoordinator, ProposalEvent]:
    """The coordinator after a consumer's heartbeat, and its reply."""
    current = c in coordinator.members and generation == coordinator.generation
    event = PhaseEvent.HEARTBEAT if current else PhaseEvent.BEHIND
    look_up(COORDINATOR, coordinator.status, event)
    if coordinator.status in (Phase.DOWN, Phase.CATCH_UP):
        return coordinator, _away(coordinator)
    if coordinator.status is Phase.PREPARE or not current:
        after = coordinator
        if coordinator.status is Phase.READY and c in coordinator.members:
            after = prepare(coordinator)
        return moved(coordinator, event, after), ProposalEvent.ILLEGAL_GENERATION
    if coordinator.status is Phase.REBALANCING and c not in coordinator.back:
        after = coordinator._replace(back=tuple(sorted((*coordinator.back, c))))
        moved(coordinator, event, after)
        if set(after.back) >= set(after.members):
            after = moved(after, PhaseEvent.ALL_BACK, after._replace(status=Phase.READY, back=()))
        return after, ProposalEvent.HEARTBEAT_OK
    return coordinator, ProposalEvent.HEARTBEAT_OK


def hear_join(coordinator: ProposalCoordinator, c: int) -> tuple[ProposalCoordinator, ProposalEvent | None]:
    """The coordinator after a consumer's JoinGroup, and the refusal, or None if the request is parked."""
    look_up(COORDINATOR, coordinator.status, PhaseEvent.JOIN)
    if coordinator.status in (Phase.DOWN, Phase.CATCH_UP):
        return coordinator, _away(coordinator)
    after = prepare(coordinator)
    after = after._replace(
        members=tuple(sorted({*after.members, c})), parked=tuple(sorted({*after.parked, c}))
    )
    if c not in coordinator.members:
        after = after._replace(assignment=_owners(after.members, coordinator))
    return moved(coordinator, PhaseEvent.JOIN, after), None


def _away(coordinator: ProposalCoordinator) -> ProposalEvent:
    return ProposalEvent.NOT_COORDINATOR if coordinator.status is Phase.DOWN else ProposalEvent.NOT_READY


def prepare(coordinator: ProposalCoordinator) -> ProposalCoordinator:
    """Begin a rebalance, unless one is already being prepared.

    The next round answers replies that were not sent yet; their joins stay parked.
    """
    if coordinator.status is Phase.PREPARE:
        return coordinator
    return coordinator._replace(status=Phase.PREPARE, parked=coordinator.unsent, unsent=(), back=())


def grow(coordinator: ProposalCoordinator, partitions: int) -> ProposalCoordinator:
    """The coordinator after it noticed new partitions; a group without members prepares nothing."""
    after = prepare(coordinator) if coordinator.members else coordinator
    return moved(coordinator, PhaseEvent.TRIGGER, after._replace(partitions=partitions))


def expire(coordinator: ProposalCoordinator, c: int) -> ProposalCoordinator:
    """The coordinator after a member's session expired; without members it becomes idle."""
    members = tuple(m for m in coordinator.members if m != c)
    if not members:
        after = ProposalCoordinator(Phase.READY, coordinator.generation, partitions=coordinator.partitions)
    else:
        after = prepare(coordinator)
        after = after._replace(
            members=members,
            assignment=_owners(members, coordinator),
            parked=tuple(p for p in after.parked if p != c),
        )
    return moved(coordinator, PhaseEvent.TRIGGER, after)


def load(coordinator: ProposalCoordinator, stored: StoredProposal, partitions: int) -> ProposalCoordinator:
    """The coordinator after reading the group; it rebalances if the partitions differ from the record."""
    after = ProposalCoordinator(
        Phase.READY, stored.generation, stored.members, stored.assignment, stored.partitions
    )
    if stored.members and stored.partitions != partitions:
        after = prepare(after)._replace(partitions=partitions)
    return moved(coordinator, PhaseEvent.LOADED, after)


def assign(coordinator: ProposalCoordinator, share: Share) -> StoredProposal:
    """The data to write at the end of the join phase: the next generation and the joined members' shares."""
    members = coordinator.parked
    assignment = tuple(share(coordinator.partitions, len(members), index) for index in range(len(members)))
    return StoredProposal(coordinator.generation + 1, members, assignment, coordinator.partitions)


def rebalanced(coordinator: ProposalCoordinator, stored: StoredProposal) -> ProposalCoordinator:
    """The coordinator after the new generation is written: all joined members are to be answered."""
    after = ProposalCoordinator(
        Phase.REBALANCING,
        stored.generation,
        stored.members,
        stored.assignment,
        coordinator.partitions,
        unsent=coordinator.parked,
    )
    return moved(coordinator, PhaseEvent.ALL_JOINED, after)


def elected(coordinator: ProposalCoordinator) -> ProposalCoordinator:
    """The next coordinator, before it reads anything."""
    return moved(coordinator, PhaseEvent.ELECTED, ProposalCoordinator(Phase.CATCH_UP))


def failed(coordinator: ProposalCoordinator) -> ProposalCoordinator:
    """The rest of a coordinator that lost its leadership."""
    return moved(coordinator, PhaseEvent.LOST, ProposalCoordinator(Phase.DOWN))


def _owners(members: tuple[int, ...], before: ProposalCoordinator) -> tuple[tuple[int, ...], ...]:
    """The old assignment for a new list of members."""
    old = dict(zip(before.members, before.assignment))
    return tuple(old.get(m, ()) for m in members)

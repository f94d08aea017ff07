"""The proposal's two state machines as data: `CONSUMER` and `COORDINATOR`.

Source: "Kafka Consumer" by Jason Guo (2015), redesign of the consumer: the states and transitions of both.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from kassay.model.protocols.shared.table import IGNORE, Rule, Table, total


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
    "heartbeats get IllegalGeneration from now on; nobody left: store that, rest",
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
            "drop the member, or note the partitions; nobody left: store that, rest",
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

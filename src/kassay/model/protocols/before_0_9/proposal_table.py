"""The draft's two state machines as data: `CONSUMER` and `COORDINATOR`.

Source: "Kafka Consumer" by Jason Guo (2015), redesign of the consumer: the states and transitions of both.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from kassay.model.protocols.shared.table import IGNORE, IMPOSSIBLE, Rule, Table


class C(StrEnum):
    """Consumer states."""

    DOWN = "Down"
    DISCOVER = "Start up & discover coordinator"
    PART = "Part of a group"
    REDISCOVER = "Rediscover coordinator"
    STOPPED = "Stopped consumption"


class CEvent(StrEnum):
    """What a consumer does or is told."""

    START = "start"
    FOUND = "coordinator found"
    JOINED = "JoinGroup ok"
    HEARTBEAT_OK = "heartbeat ok"
    ILLEGAL_GENERATION = "IllegalGeneration"
    NOT_COORDINATOR = "NotCoordinator or disconnect"
    NOT_READY = "CoordinatorStartupNotComplete"
    STOP = "close or crash"


_STOP: Final = {CEvent.STOP: Rule((C.DOWN,), "gone; the coordinator will miss its heartbeats")}
_NOT_READY: Final = {CEvent.NOT_READY: IGNORE}

CONSUMER: Final[Table] = {
    C.DOWN: dict.fromkeys(CEvent, IMPOSSIBLE) | {CEvent.START: Rule((C.DISCOVER,), "ask any broker")},
    C.DISCOVER: dict.fromkeys(CEvent, IMPOSSIBLE)
    | _STOP
    | _NOT_READY
    | {
        CEvent.FOUND: Rule((C.DISCOVER,), "send JoinGroup"),
        CEvent.JOINED: Rule((C.PART,), "adopt generation and partitions, fetch"),
        CEvent.NOT_COORDINATOR: Rule((C.DISCOVER,), "ask again"),
    },
    C.PART: dict.fromkeys(CEvent, IMPOSSIBLE)
    | _STOP
    | _NOT_READY
    | {
        CEvent.HEARTBEAT_OK: Rule((C.PART,), "go on"),
        CEvent.ILLEGAL_GENERATION: Rule((C.STOPPED,), "stop fetching, commit"),
        CEvent.NOT_COORDINATOR: Rule((C.REDISCOVER,), "keep consuming, ask any broker"),
    },
    C.REDISCOVER: dict.fromkeys(CEvent, IMPOSSIBLE)
    | _STOP
    | {
        CEvent.FOUND: Rule((C.PART, C.STOPPED), "heartbeat with the own generation; join if stopped before"),
        CEvent.NOT_COORDINATOR: IGNORE,
    },
    C.STOPPED: dict.fromkeys(CEvent, IMPOSSIBLE)
    | _STOP
    | _NOT_READY
    | {
        CEvent.JOINED: Rule((C.PART,), "adopt the new generation and partitions, fetch"),
        CEvent.NOT_COORDINATOR: Rule((C.REDISCOVER,), "stay stopped, ask any broker"),
    },
}


class K(StrEnum):
    """Coordinator states."""

    DOWN = "Down"
    CATCH_UP = "Catch up"
    READY = "Ready"
    PREPARE = "Prepare for rebalance"
    REBALANCING = "Rebalancing"


class KEvent(StrEnum):
    """What reaches a coordinator."""

    ELECTED = "elected"
    LOADED = "loaded"
    HEARTBEAT = "heartbeat of this generation"
    BEHIND = "heartbeat of another generation"
    JOIN = "JoinGroup"
    TRIGGER = "member expired, partitions changed"
    ALL_JOINED = "all joined, or join timer"
    ALL_BACK = "all heartbeat with the new generation"
    LOST = "lost leadership"


_STARTING: Final = Rule((K.CATCH_UP,), "CoordinatorStartupNotComplete")
_LOST: Final = {KEvent.LOST: Rule((K.DOWN,), "NotCoordinator to all")}
_REBALANCE: Final = Rule(
    (K.PREPARE, K.READY), "heartbeats get IllegalGeneration from now on; nobody left: store that, rest"
)

COORDINATOR: Final[Table] = {
    K.DOWN: dict.fromkeys(KEvent, IMPOSSIBLE)
    | {KEvent.ELECTED: Rule((K.CATCH_UP,), "read groups from ZooKeeper")}
    | dict.fromkeys((KEvent.HEARTBEAT, KEvent.BEHIND, KEvent.JOIN), Rule((K.DOWN,), "NotCoordinator")),
    K.CATCH_UP: dict.fromkeys(KEvent, IMPOSSIBLE)
    | _LOST
    | dict.fromkeys((KEvent.HEARTBEAT, KEvent.BEHIND, KEvent.JOIN), _STARTING)
    | {KEvent.LOADED: Rule((K.READY, K.PREPARE), "compare what is stored with what is there")},
    K.READY: dict.fromkeys(KEvent, IMPOSSIBLE)
    | _LOST
    | {
        KEvent.HEARTBEAT: Rule((K.READY,), "ok"),
        KEvent.BEHIND: Rule((K.READY, K.PREPARE), "IllegalGeneration; rebalance if it is a member"),
        KEvent.JOIN: Rule((K.PREPARE,), "park; rebalance"),
        KEvent.TRIGGER: _REBALANCE,
    },
    K.PREPARE: dict.fromkeys(KEvent, IMPOSSIBLE)
    | _LOST
    | {
        KEvent.HEARTBEAT: Rule((K.PREPARE,), "IllegalGeneration"),
        KEvent.BEHIND: Rule((K.PREPARE,), "IllegalGeneration"),
        KEvent.JOIN: Rule((K.PREPARE,), "park"),
        KEvent.TRIGGER: Rule(
            (K.PREPARE, K.READY), "drop the member, or note the partitions; nobody left: store that, rest"
        ),
        KEvent.ALL_JOINED: Rule((K.REBALANCING,), "generation + 1, assign, one atomic write"),
    },
    K.REBALANCING: dict.fromkeys(KEvent, IMPOSSIBLE)
    | _LOST
    | {
        KEvent.HEARTBEAT: Rule((K.REBALANCING,), "ok"),
        KEvent.BEHIND: Rule((K.REBALANCING,), "IllegalGeneration"),
        KEvent.JOIN: Rule((K.PREPARE,), "park; rebalance again"),
        KEvent.TRIGGER: _REBALANCE,
        KEvent.ALL_BACK: Rule((K.READY,), "done"),
    },
}

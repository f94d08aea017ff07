"""The state machine of a ZooKeeper consumer (Kafka 0.8) as data: `CONSUMER`.

Sources: "Kafka Consumer" by Jason Guo (2015), High Level Consumer Rebalance; Kafka 0.8.2
`ZookeeperConsumerConnector`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from kassay.model.protocols.shared.table import IGNORE, IMPOSSIBLE, Rule, Table


class Status(StrEnum):
    """Where a consumer stands."""

    OFF = "Off"
    IDLE = "Idle"
    RELEASED = "Released"
    GAVE_UP = "GaveUp"
    DEAD = "Dead"
    ZOMBIE = "Zombie"


class Event(StrEnum):
    """What can happen to a consumer."""

    START = "start"
    WATCH = "watch fires"
    REBALANCE = "rebalance"
    CLAIM = "claim, all free"
    CONFLICT = "claim, one taken"
    LAST_CONFLICT = "claim, one taken, no try left"
    CLOSE = "close"
    CRASH = "crash"
    EXPIRE = "session expires"
    RECONNECT = "reconnect"


_OFF: Final = {event: IGNORE if event is Event.WATCH else IMPOSSIBLE for event in Event}
_CRASH: Final = Rule((Status.DEAD,), "ids and owner znodes stay until the session expires")
_CLOSE: Final = Rule((Status.OFF,), "delete own ids and owner znodes; every watch fires")
_NOTICE: Final = "pending := true (coalesced)"

CONSUMER: Final[Table] = {
    Status.OFF: _OFF
    | {
        Event.START: Rule(
            (Status.IDLE,), "register in ids; watch ids and brokers; every watch fires; pending := true"
        ),
    },
    Status.IDLE: {
        Event.START: IMPOSSIBLE,
        Event.WATCH: Rule((Status.IDLE,), _NOTICE),
        Event.REBALANCE: Rule(
            (Status.RELEASED,), "stop fetchers, commit, B := {}, delete own owner znodes, read the view"
        ),
        Event.CLAIM: IMPOSSIBLE,
        Event.CONFLICT: IMPOSSIBLE,
        Event.LAST_CONFLICT: IMPOSSIBLE,
        Event.CLOSE: _CLOSE,
        Event.CRASH: _CRASH,
        Event.EXPIRE: Rule((Status.ZOMBIE,), "znodes vanish, every watch fires, B is kept (GC pause)"),
        Event.RECONNECT: IMPOSSIBLE,
    },
    Status.RELEASED: {
        Event.START: IMPOSSIBLE,
        Event.WATCH: Rule((Status.RELEASED,), _NOTICE),
        Event.REBALANCE: IMPOSSIBLE,
        Event.CLAIM: Rule((Status.IDLE,), "create the owner znodes one by one; B := share(view)"),
        Event.CONFLICT: Rule((Status.RELEASED,), "undo, one try less, read the view again"),
        Event.LAST_CONFLICT: Rule((Status.GAVE_UP,), "B = {}; idle until the next watch"),
        Event.CLOSE: _CLOSE,
        Event.CRASH: _CRASH,
        Event.EXPIRE: Rule((Status.ZOMBIE,), "ids entry vanishes, every watch fires"),
        Event.RECONNECT: IMPOSSIBLE,
    },
    Status.GAVE_UP: {
        Event.START: IMPOSSIBLE,
        Event.WATCH: Rule((Status.GAVE_UP,), _NOTICE),
        Event.REBALANCE: Rule((Status.RELEASED,), "tries afresh, read the view"),
        Event.CLAIM: IMPOSSIBLE,
        Event.CONFLICT: IMPOSSIBLE,
        Event.LAST_CONFLICT: IMPOSSIBLE,
        Event.CLOSE: _CLOSE,
        Event.CRASH: _CRASH,
        Event.EXPIRE: Rule((Status.ZOMBIE,), "ids entry vanishes, every watch fires"),
        Event.RECONNECT: IMPOSSIBLE,
    },
    Status.DEAD: _OFF | {Event.EXPIRE: Rule((Status.OFF,), "ids and owner znodes vanish; every watch fires")},
    Status.ZOMBIE: _OFF
    | {
        Event.RECONNECT: Rule(
            (Status.IDLE,), "register again; every watch fires; pending := true; B kept until its rebalance"
        ),
        Event.CRASH: Rule((Status.OFF,), "nothing is registered any more"),
    },
}

"""The state machine of a ZooKeeper consumer (Kafka 0.8) as data: `CONSUMER`.

Sources: "Kafka Consumer" by Jason Guo (2015), High Level Consumer Rebalance; Kafka 0.8.2
`ZookeeperConsumerConnector`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from kassay.model.protocols.shared.table import IGNORE, Rule, Table, total


class ZooKeeperStatus(StrEnum):
    """The states of a consumer."""

    OFF = "Off"
    IDLE = "Idle"
    RELEASED = "Released"
    GAVE_UP = "GaveUp"
    DEAD = "Dead"
    ZOMBIE = "Zombie"


class ZooKeeperEvent(StrEnum):
    """The events of a consumer."""

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


_OFF: Final = {ZooKeeperEvent.WATCH: IGNORE}
_CRASH: Final = Rule((ZooKeeperStatus.DEAD,), "ids and owner znodes stay until the session expires")
_CLOSE: Final = Rule((ZooKeeperStatus.OFF,), "delete own ids and owner znodes; every watch fires")
_NOTICE: Final = "pending := true (coalesced)"

_CONSUMER: Final[Table] = {
    ZooKeeperStatus.OFF: _OFF
    | {
        ZooKeeperEvent.START: Rule(
            (ZooKeeperStatus.IDLE,),
            "register in ids; watch ids and brokers; every watch fires; pending := true",
        ),
    },
    ZooKeeperStatus.IDLE: {
        ZooKeeperEvent.WATCH: Rule((ZooKeeperStatus.IDLE,), _NOTICE),
        ZooKeeperEvent.REBALANCE: Rule(
            (ZooKeeperStatus.RELEASED,),
            "stop fetchers, commit, B := {}, delete own owner znodes, read the view",
        ),
        ZooKeeperEvent.CLOSE: _CLOSE,
        ZooKeeperEvent.CRASH: _CRASH,
        ZooKeeperEvent.EXPIRE: Rule(
            (ZooKeeperStatus.ZOMBIE,), "znodes vanish, every watch fires, B is kept (GC pause)"
        ),
    },
    ZooKeeperStatus.RELEASED: {
        ZooKeeperEvent.WATCH: Rule((ZooKeeperStatus.RELEASED,), _NOTICE),
        ZooKeeperEvent.CLAIM: Rule(
            (ZooKeeperStatus.IDLE,), "create the owner znodes one by one; B := share(view)"
        ),
        ZooKeeperEvent.CONFLICT: Rule((ZooKeeperStatus.RELEASED,), "undo, one try less, read the view again"),
        ZooKeeperEvent.LAST_CONFLICT: Rule((ZooKeeperStatus.GAVE_UP,), "B = {}; idle until the next watch"),
        ZooKeeperEvent.CLOSE: _CLOSE,
        ZooKeeperEvent.CRASH: _CRASH,
        ZooKeeperEvent.EXPIRE: Rule((ZooKeeperStatus.ZOMBIE,), "ids entry vanishes, every watch fires"),
    },
    ZooKeeperStatus.GAVE_UP: {
        ZooKeeperEvent.WATCH: Rule((ZooKeeperStatus.GAVE_UP,), _NOTICE),
        ZooKeeperEvent.REBALANCE: Rule((ZooKeeperStatus.RELEASED,), "tries afresh, read the view"),
        ZooKeeperEvent.CLOSE: _CLOSE,
        ZooKeeperEvent.CRASH: _CRASH,
        ZooKeeperEvent.EXPIRE: Rule((ZooKeeperStatus.ZOMBIE,), "ids entry vanishes, every watch fires"),
    },
    ZooKeeperStatus.DEAD: _OFF
    | {ZooKeeperEvent.EXPIRE: Rule((ZooKeeperStatus.OFF,), "ids and owner znodes vanish; every watch fires")},
    ZooKeeperStatus.ZOMBIE: _OFF
    | {
        ZooKeeperEvent.RECONNECT: Rule(
            (ZooKeeperStatus.IDLE,),
            "register again; every watch fires; pending := true; B kept until its rebalance",
        ),
        ZooKeeperEvent.CRASH: Rule((ZooKeeperStatus.OFF,), "nothing is registered any more"),
    },
}
CONSUMER: Final = total(ZooKeeperEvent, _CONSUMER)

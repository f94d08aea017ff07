"""The state machine of a classic client as data: `CLIENT`, total over states and events.

An assignment whose callback runs only after the generation was reset is dropped: that is what Unjoined
ignores. Source: `AbstractCoordinator.MemberState` and the response handlers of the Java client.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from kassay.model.protocols.shared.table import IGNORE, IMPOSSIBLE, Rule, Table


class State(StrEnum):
    """The client's own state machine (`MemberState`)."""

    UNJOINED = "Unjoined"
    PREPARING = "Preparing"
    COMPLETING = "Completing"
    STABLE = "Stable"


class Event(StrEnum):
    """What a client does on its own, and the replies it can get."""

    POLL = "polled, rejoin needed"
    JOIN_OK = "JoinGroup ok"
    SYNC_OK = "SyncGroup ok"
    ADOPT = "callback of an assignment"
    REBALANCE_HEARTBEAT = "Heartbeat REBALANCE_IN_PROGRESS"
    REBALANCE = "Join/SyncGroup REBALANCE_IN_PROGRESS"
    ILLEGAL_GENERATION = "ILLEGAL_GENERATION"
    UNKNOWN_MEMBER_ID = "UNKNOWN_MEMBER_ID"
    MEMBER_ID_REQUIRED = "MEMBER_ID_REQUIRED"
    DISCONNECT = "NOT_COORDINATOR, disconnect"
    LOADING = "COORDINATOR_LOAD_IN_PROGRESS"
    FATAL = "fatal error"
    POLL_EXPIRED = "max.poll.interval.ms expired"
    METADATA = "metadata or subscription changed"


_S = State
_RESET: Final = Rule((_S.UNJOINED,), "generation := -1, rejoin, callbacks due")
_FORGET: Final = Rule((_S.UNJOINED,), "generation := -1, member id := '', rejoin, callbacks due")
_JOIN: Final = Rule((_S.PREPARING,), "callbacks once: commit, then lost or revoked; send JoinGroup")


def _any_state(state: State) -> dict[Event, Rule]:
    """What happens alike wherever the client is."""
    return {
        Event.POLL: _JOIN,
        Event.JOIN_OK: IGNORE,
        Event.SYNC_OK: IGNORE,
        Event.ADOPT: IMPOSSIBLE,
        Event.REBALANCE_HEARTBEAT: IGNORE,
        Event.REBALANCE: Rule((state,), "rejoin; keep member id, generation and what is owned"),
        Event.ILLEGAL_GENERATION: _RESET,
        Event.UNKNOWN_MEMBER_ID: _FORGET,
        Event.MEMBER_ID_REQUIRED: IGNORE,
        Event.DISCONNECT: Rule((state,), "find the coordinator, keep consuming, try again"),
        Event.LOADING: Rule((state,), "back off, try again"),
        Event.FATAL: Rule((_S.UNJOINED,), "give up; what is owned is lost"),
        Event.POLL_EXPIRED: _FORGET,
        Event.METADATA: Rule((state,), "rejoin"),
    }


CLIENT: Final[Table] = {
    _S.UNJOINED: _any_state(_S.UNJOINED) | {Event.ADOPT: IGNORE},
    _S.PREPARING: _any_state(_S.PREPARING)
    | {
        Event.JOIN_OK: Rule((_S.COMPLETING,), "adopt generation, id, protocol; a leader assigns; SyncGroup"),
        Event.MEMBER_ID_REQUIRED: Rule((_S.PREPARING,), "take the id, join again"),
    },
    _S.COMPLETING: _any_state(_S.COMPLETING)
    | {
        Event.SYNC_OK: Rule((_S.STABLE,), "revoke what is gone (then rejoin), add what is new"),
    },
    _S.STABLE: _any_state(_S.STABLE)
    | {
        Event.ADOPT: Rule((_S.STABLE,), "revoke what is gone (then rejoin), add what is new"),
        Event.REBALANCE_HEARTBEAT: Rule((_S.STABLE,), "rejoin"),
    },
}

"""The state machine of a classic client as data: `CLIENT`, total over states and events.

An assignment whose callback runs only after the generation was reset is dropped: Unjoined ignores that event.
Source: `AbstractCoordinator.MemberState` and the response handlers of the Java client.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from kassay.model.protocols.shared.table import IGNORE, IMPOSSIBLE, Rule, Table


class ClassicState(StrEnum):
    """The client's own state machine (`MemberState`)."""

    UNJOINED = "Unjoined"
    PREPARING = "Preparing"
    COMPLETING = "Completing"
    STABLE = "Stable"


class ClassicEvent(StrEnum):
    """The client's own actions, and the replies that it can get."""

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


_S = ClassicState
_RESET: Final = Rule((_S.UNJOINED,), "generation := -1, rejoin, callbacks due")
_FORGET: Final = Rule((_S.UNJOINED,), "generation := -1, member id := '', rejoin, callbacks due")
_JOIN: Final = Rule((_S.PREPARING,), "callbacks once: commit, then lost or revoked; send JoinGroup")


def _any_state(state: ClassicState) -> dict[ClassicEvent, Rule]:
    """The rules that apply in every state."""
    return {
        ClassicEvent.POLL: _JOIN,
        ClassicEvent.JOIN_OK: IGNORE,
        ClassicEvent.SYNC_OK: IGNORE,
        ClassicEvent.ADOPT: IMPOSSIBLE,
        ClassicEvent.REBALANCE_HEARTBEAT: IGNORE,
        ClassicEvent.REBALANCE: Rule((state,), "rejoin; keep member id, generation and what is owned"),
        ClassicEvent.ILLEGAL_GENERATION: _RESET,
        ClassicEvent.UNKNOWN_MEMBER_ID: _FORGET,
        ClassicEvent.MEMBER_ID_REQUIRED: IGNORE,
        ClassicEvent.DISCONNECT: Rule((state,), "find the coordinator, keep consuming, try again"),
        ClassicEvent.LOADING: Rule((state,), "back off, try again"),
        ClassicEvent.FATAL: Rule((_S.UNJOINED,), "give up; what is owned is lost"),
        ClassicEvent.POLL_EXPIRED: _FORGET,
        ClassicEvent.METADATA: Rule((state,), "rejoin"),
    }


CLIENT: Final[Table] = {
    _S.UNJOINED: _any_state(_S.UNJOINED) | {ClassicEvent.ADOPT: IGNORE},
    _S.PREPARING: _any_state(_S.PREPARING)
    | {
        ClassicEvent.JOIN_OK: Rule(
            (_S.COMPLETING,), "adopt generation, id, protocol; a leader assigns; SyncGroup"
        ),
        ClassicEvent.MEMBER_ID_REQUIRED: Rule((_S.PREPARING,), "take the id, join again"),
    },
    _S.COMPLETING: _any_state(_S.COMPLETING)
    | {
        ClassicEvent.SYNC_OK: Rule((_S.STABLE,), "revoke what is gone (then rejoin), add what is new"),
    },
    _S.STABLE: _any_state(_S.STABLE)
    | {
        ClassicEvent.ADOPT: Rule((_S.STABLE,), "revoke what is gone (then rejoin), add what is new"),
        ClassicEvent.REBALANCE_HEARTBEAT: Rule((_S.STABLE,), "rejoin"),
    },
}

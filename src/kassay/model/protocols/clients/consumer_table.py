"""The state machine of a client of a consumer group as data: `CLIENT`.

Source: KIP-848; `MemberState` of the Java client.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from kassay.model.protocols.shared.table import IGNORE, IMPOSSIBLE, Rule, Table


class ConsumerState(StrEnum):
    """The client's own state machine (`MemberState`)."""

    UNSUBSCRIBED = "Unsubscribed"
    JOINING = "Joining"
    RECONCILING = "Reconciling"
    ACKNOWLEDGING = "Acknowledging"
    STABLE = "Stable"
    FENCED = "Fenced"
    STALE = "Stale"
    FATAL = "Fatal"


class ConsumerEvent(StrEnum):
    """The client's own actions, and the replies that it gets."""

    SUBSCRIBE = "subscribe"
    ASSIGNED = "ok with a new assignment"
    OK = "ok"
    REVOKED = "partitions revoked"
    RECONCILED = "assignment adopted"
    SENT = "heartbeat generated"
    FENCED = "FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID"
    LOST = "callback of lost partitions"
    FAILED = "request failed"
    POLL_EXPIRED = "max.poll.interval.ms expired"
    POLLED = "polled again"
    CLOSE = "close"
    FATAL = "fatal error"


_S = ConsumerState
_FENCED: Final = Rule((_S.FENCED,), "stop heartbeats, epoch := 0")
_FATAL: Final = Rule((_S.FATAL,), "give up; what is owned is lost")
_LEAVE: Final = Rule((_S.UNSUBSCRIBED,), "revoke, leave with epoch -1 (static: -2)")
_NEW: Final = Rule((_S.RECONCILING,), "note the target, local epoch + 1")


def _member(state: ConsumerState) -> dict[ConsumerEvent, Rule]:
    return dict.fromkeys(ConsumerEvent, IMPOSSIBLE) | {
        ConsumerEvent.ASSIGNED: _NEW,
        ConsumerEvent.OK: Rule((state,), "note the epoch"),
        ConsumerEvent.SENT: Rule((state,), "send what changed"),
        ConsumerEvent.FENCED: _FENCED,
        ConsumerEvent.FAILED: Rule((state,), "send everything next time"),
        ConsumerEvent.POLL_EXPIRED: Rule((_S.STALE,), "leave with epoch -1 (static: -2)"),
        ConsumerEvent.CLOSE: _LEAVE,
        ConsumerEvent.FATAL: _FATAL,
    }


_OUTSIDE: Final = dict.fromkeys(ConsumerEvent, IMPOSSIBLE) | dict.fromkeys(
    (
        ConsumerEvent.OK,
        ConsumerEvent.ASSIGNED,
        ConsumerEvent.FENCED,
        ConsumerEvent.FAILED,
        ConsumerEvent.FATAL,
    ),
    IGNORE,
)

CLIENT: Final[Table] = {
    _S.UNSUBSCRIBED: _OUTSIDE | {ConsumerEvent.SUBSCRIBE: Rule((_S.JOINING,), "join with epoch 0")},
    _S.JOINING: _member(_S.JOINING) | {ConsumerEvent.OK: Rule((_S.STABLE,), "nothing new to own")},
    _S.RECONCILING: _member(_S.RECONCILING)
    | {
        ConsumerEvent.REVOKED: Rule((_S.RECONCILING,), "commit, give up what the target lacks"),
        ConsumerEvent.RECONCILED: Rule((_S.ACKNOWLEDGING,), "own the target that was set out for"),
    },
    _S.ACKNOWLEDGING: _member(_S.ACKNOWLEDGING)
    | {
        ConsumerEvent.SENT: Rule(
            (_S.STABLE, _S.RECONCILING), "acknowledge; reconcile again if the target moved"
        )
    },
    _S.STABLE: _member(_S.STABLE),
    _S.FENCED: _OUTSIDE
    | {ConsumerEvent.LOST: Rule((_S.JOINING,), "own nothing; join again under the same id")},
    _S.STALE: _OUTSIDE
    | {
        ConsumerEvent.POLLED: Rule((_S.JOINING,), "own nothing; join again"),
        ConsumerEvent.CLOSE: _LEAVE,
    },
    _S.FATAL: _OUTSIDE,
}

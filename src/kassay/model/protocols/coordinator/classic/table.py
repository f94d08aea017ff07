"""The classic group's state machine as data.

`CLASSIC_GROUP` lists, for every state and kind of event, the states in which the step may end; `LEGAL` lists
the single moves within a step (a group of one member goes from Stable through PreparingRebalance to
CompletingRebalance within one JoinGroup). Source: `ClassicGroupState` (legal previous states).
"""

from __future__ import annotations

from typing import Final

from kassay.model.protocols.shared.table import IGNORE, IMPOSSIBLE, Rule, Table
from kassay.model.protocols.values.groups import COMPLETING, EMPTY, PREPARING, STABLE

NO_GROUP: Final = "none"

JOIN_GROUP: Final = "JoinGroup"
SYNC_GROUP: Final = "SyncGroup"
HEARTBEAT: Final = "Heartbeat"
LEAVE_GROUP: Final = "LeaveGroup"
OFFSET_COMMIT: Final = "OffsetCommit"
SESSION_TIMER: Final = "session timer"
JOIN_TIMER: Final = "join timer"
SYNC_TIMER: Final = "sync timer"
GROUP_STORED: Final = "group stored"
ASSIGNMENT_STORED: Final = "assignment stored"
STATIC_STORED: Final = "static member stored"

LEGAL: Final[dict[str, frozenset[str]]] = {
    EMPTY: frozenset({PREPARING}),
    PREPARING: frozenset({EMPTY, COMPLETING}),
    COMPLETING: frozenset({STABLE, PREPARING}),
    STABLE: frozenset({PREPARING}),
}
"""The moves between states; Kafka's state Dead (unloaded) is the loss of the group here."""

_REJECT: Final = "UNKNOWN_MEMBER_ID"
_STAY: Final = "ok, session refreshed"
_FAILED: Final = "a failed write undoes the group; tell its first member"
_REBALANCED: Final = (PREPARING, COMPLETING, EMPTY)

CLASSIC_GROUP: Final[Table] = {
    NO_GROUP: {
        JOIN_GROUP: Rule((NO_GROUP, EMPTY, PREPARING), "create the group for a member without id"),
        **dict.fromkeys((SYNC_GROUP, HEARTBEAT, LEAVE_GROUP), Rule((NO_GROUP,), _REJECT)),
        OFFSET_COMMIT: Rule((NO_GROUP, EMPTY), "generation < 0: create a simple group"),
        **dict.fromkeys((SESSION_TIMER, JOIN_TIMER, SYNC_TIMER), IGNORE),
        **dict.fromkeys((GROUP_STORED, ASSIGNMENT_STORED, STATIC_STORED), IGNORE),
    },
    EMPTY: {
        JOIN_GROUP: Rule((EMPTY, PREPARING), "hand out an id, or add the member and wait for more"),
        SYNC_GROUP: Rule((EMPTY,), _REJECT),
        HEARTBEAT: Rule((EMPTY,), _REJECT),
        LEAVE_GROUP: Rule((EMPTY,), "drop a pending id"),
        OFFSET_COMMIT: Rule((EMPTY,), "ok if generation < 0"),
        SESSION_TIMER: Rule((EMPTY,), "drop a pending id"),
        JOIN_TIMER: Rule((EMPTY,), "armed for a group whose write failed: count the generation up"),
        SYNC_TIMER: IGNORE,
        GROUP_STORED: Rule((EMPTY, NO_GROUP), _FAILED),
        ASSIGNMENT_STORED: IGNORE,
        STATIC_STORED: IGNORE,
    },
    PREPARING: {
        JOIN_GROUP: Rule((PREPARING, COMPLETING), "park; complete when all have joined"),
        SYNC_GROUP: Rule((PREPARING,), "REBALANCE_IN_PROGRESS"),
        HEARTBEAT: Rule((PREPARING,), "REBALANCE_IN_PROGRESS, session refreshed"),
        LEAVE_GROUP: Rule(_REBALANCED, "remove; complete when all have joined"),
        OFFSET_COMMIT: Rule((PREPARING,), _STAY),
        SESSION_TIMER: Rule(_REBALANCED, "remove unless parked and not new; complete when all have joined"),
        JOIN_TIMER: Rule(_REBALANCED, "complete without the missing, or wait on"),
        SYNC_TIMER: IGNORE,
        GROUP_STORED: Rule((PREPARING, NO_GROUP), _FAILED),
        ASSIGNMENT_STORED: IGNORE,
        STATIC_STORED: Rule((PREPARING, COMPLETING), "answer the member, or put the old id back"),
    },
    COMPLETING: {
        JOIN_GROUP: Rule((COMPLETING, PREPARING), "same metadata: answer again; else prepare"),
        SYNC_GROUP: Rule((COMPLETING,), "park; the leader's is persisted"),
        HEARTBEAT: Rule((COMPLETING,), _STAY),
        LEAVE_GROUP: Rule((COMPLETING, *_REBALANCED), "remove; prepare"),
        OFFSET_COMMIT: Rule((COMPLETING,), "REBALANCE_IN_PROGRESS"),
        SESSION_TIMER: Rule((COMPLETING, *_REBALANCED), "remove unless parked; prepare"),
        JOIN_TIMER: IMPOSSIBLE,
        SYNC_TIMER: Rule((COMPLETING, *_REBALANCED), "remove who sent no SyncGroup; prepare"),
        GROUP_STORED: IGNORE,
        ASSIGNMENT_STORED: Rule(
            (STABLE, PREPARING, COMPLETING),
            "hand the assignment out; a failed write: prepare; nothing if the generation has moved on",
        ),
        STATIC_STORED: Rule((COMPLETING,), "answer the member, or put the old id back"),
    },
    STABLE: {
        JOIN_GROUP: Rule((STABLE, PREPARING, COMPLETING), "leader or changed: prepare; else answer"),
        SYNC_GROUP: Rule((STABLE,), "answer with the assignment"),
        HEARTBEAT: Rule((STABLE,), _STAY),
        LEAVE_GROUP: Rule((STABLE, *_REBALANCED), "remove; prepare"),
        OFFSET_COMMIT: Rule((STABLE,), _STAY),
        SESSION_TIMER: Rule((STABLE, *_REBALANCED), "remove; prepare"),
        JOIN_TIMER: Rule((STABLE,), "outlived an upgrade and a downgrade: drop who has not joined"),
        SYNC_TIMER: Rule((STABLE, *_REBALANCED), "remove who sent no SyncGroup; prepare"),
        GROUP_STORED: IGNORE,
        ASSIGNMENT_STORED: IGNORE,
        STATIC_STORED: Rule((STABLE,), "answer the member, or put the old id back"),
    },
}

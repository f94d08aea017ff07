"""The state machines of the three kinds of group as data: `CLASSIC_GROUP`, `CONSUMER_GROUP`, `STREAMS_GROUP`.

`CLASSIC_GROUP` lists, for every state and kind of event, the states in which the step may end; `LEGAL`
lists the single moves within a step (a group of one member goes from Stable through PreparingRebalance
to CompletingRebalance within one JoinGroup). The states are derived from the group; the table lists
which of them an event may lead to. Source: `ClassicGroupState` (legal previous states),
`ConsumerGroup.ConsumerGroupState`, `StreamsGroup.StreamsGroupState`.
"""

from __future__ import annotations

from typing import Final

from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, Rule, Table
from kassay.model.protocols.values.groups import ASSIGNING, COMPLETING, EMPTY, PREPARING, RECONCILING, STABLE
from kassay.model.protocols.values.streams_groups import NOT_READY

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


CLASSIC: Final = "classic group"
"""The result of a downgrade: the group continues in `CLASSIC_GROUP`."""

CONSUMER_HEARTBEAT: Final = "ConsumerGroupHeartbeat"
CONSUMER_LEAVE: Final = "ConsumerGroupHeartbeat, epoch < 0"
MEMBER_TIMER: Final = "timer of a member"
MEMBER_STORED: Final = "classic member stored"
WRITE_FAILED: Final = "write failed"
RESOLVED: Final = "regular expressions resolved"
OFFLOADED: Final = "target computed in the background"

_LEFT_ALONE: Final = {RECONCILING: (STABLE,)}
"""Where else a group may be without one of its members: the others have reached a target ahead of the group.

Such a target is that of an earlier group, which the log still has (finding A).
"""
_ANY_CONSUMER: Final = (NO_GROUP, EMPTY, ASSIGNING, RECONCILING, STABLE, CLASSIC)


def _alive_consumer(state: str) -> dict[str, Rule]:
    """The rules of a group with members: a refused request keeps `state`."""
    gone = (EMPTY, ASSIGNING, CLASSIC, *_LEFT_ALONE.get(state, ()))
    return {
        CONSUMER_HEARTBEAT: Rule(
            (state, ASSIGNING, RECONCILING, STABLE),
            "bump, compute the target if it is time to, reconcile the member",
        ),
        CONSUMER_LEAVE: Rule((state, *gone, RECONCILING), "-1: remove, bump; -2: keep the target"),
        JOIN_GROUP: Rule(
            (state, ASSIGNING, RECONCILING, STABLE, CLASSIC), "as a heartbeat of a classic member"
        ),
        SYNC_GROUP: Rule((state,), "hand out what is assigned, or REBALANCE_IN_PROGRESS"),
        HEARTBEAT: Rule((state,), "ok, or REBALANCE_IN_PROGRESS when there is something to do"),
        LEAVE_GROUP: Rule((state, *gone), "remove, bump"),
        OFFSET_COMMIT: Rule((state,), "ok if the epoch is the member's"),
        MEMBER_TIMER: Rule((state, *gone), "fence the member: remove, bump"),
        MEMBER_STORED: Rule((state,), "answer the member and watch it"),
        WRITE_FAILED: Rule(_ANY_CONSUMER, "the group is what it was before the step"),
        RESOLVED: Rule((state, ASSIGNING), "write what they match; bump if that is something else"),
        OFFLOADED: Rule((state, RECONCILING, STABLE), "write the target, unless it is out of date"),
    }


CONSUMER_GROUP: Final[Table] = {
    EMPTY: {
        CONSUMER_HEARTBEAT: Rule((EMPTY, ASSIGNING, RECONCILING, STABLE), "epoch 0: the first member"),
        CONSUMER_LEAVE: Rule((EMPTY,), "UNKNOWN_MEMBER_ID"),
        JOIN_GROUP: Rule((NO_GROUP, CLASSIC), "delete the group; without member id, make a classic one"),
        **dict.fromkeys((SYNC_GROUP, HEARTBEAT, LEAVE_GROUP), Rule((EMPTY,), "UNKNOWN_MEMBER_ID")),
        OFFSET_COMMIT: Rule((EMPTY,), "ok if epoch < 0"),
        MEMBER_TIMER: IGNORE,
        MEMBER_STORED: Rule((EMPTY,), "answer the member, though it is gone"),
        WRITE_FAILED: Rule(_ANY_CONSUMER, "the group is what it was before the step"),
        RESOLVED: Rule((EMPTY,), "bump if the topics are others"),
        OFFLOADED: Rule((EMPTY,), "nothing: it is out of date"),
    },
    ASSIGNING: _alive_consumer(ASSIGNING),
    RECONCILING: _alive_consumer(RECONCILING),
    STABLE: _alive_consumer(STABLE),
}


STREAMS_HEARTBEAT: Final = "StreamsGroupHeartbeat"
STREAMS_LEAVE: Final = "StreamsGroupHeartbeat, epoch < 0"
OTHER_REQUEST: Final = "request of another protocol"
DELAY_TIMER: Final = "initial rebalance delay over"

_BUSY: Final = (NOT_READY, ASSIGNING, RECONCILING, STABLE)
_ANY_STREAMS: Final = (NO_GROUP, EMPTY, CLASSIC, *_BUSY)


def _alive_streams(state: str) -> dict[str, Rule]:
    """The rules of a group with members: a refused request keeps `state`."""
    alone = _LEFT_ALONE.get(state, ())
    return {
        STREAMS_HEARTBEAT: Rule(
            _BUSY, "bump, configure the topology, compute the target, reconcile the member"
        ),
        STREAMS_LEAVE: Rule(
            (EMPTY, NOT_READY, ASSIGNING, RECONCILING, *alone), "-1: remove, bump; -2: keep the target"
        )
        if state != STABLE
        else Rule((EMPTY, ASSIGNING, RECONCILING, STABLE), "-1: remove, bump; -2: keep the target"),
        OTHER_REQUEST: Rule((state,), "UNKNOWN_MEMBER_ID; a heartbeat of a consumer: GROUP_ID_NOT_FOUND"),
        JOIN_GROUP: Rule((state,), "INCONSISTENT_GROUP_PROTOCOL"),
        OFFSET_COMMIT: Rule((state,), "ok for the active tasks that the member was given no later"),
        MEMBER_TIMER: Rule((state, EMPTY, NOT_READY, ASSIGNING, *alone), "fence the member: remove, bump"),
        DELAY_TIMER: Rule((state, RECONCILING), "compute the first target"),
        WRITE_FAILED: Rule(_ANY_STREAMS, "the group is what it was before the step"),
    }


STREAMS_GROUP: Final[Table] = {
    EMPTY: {
        STREAMS_HEARTBEAT: Rule((EMPTY, *_BUSY), "epoch 0: the first member"),
        STREAMS_LEAVE: Rule((EMPTY,), "UNKNOWN_MEMBER_ID"),
        OTHER_REQUEST: Rule((EMPTY,), "UNKNOWN_MEMBER_ID; a heartbeat of a consumer: GROUP_ID_NOT_FOUND"),
        JOIN_GROUP: Rule((NO_GROUP, CLASSIC), "delete the group; without member id, make a classic one"),
        OFFSET_COMMIT: Rule((EMPTY,), "ok if epoch < 0"),
        MEMBER_TIMER: IGNORE,
        DELAY_TIMER: Rule((EMPTY,), "nothing"),
        WRITE_FAILED: Rule(_ANY_STREAMS, "the group is what it was before the step"),
    },
    **{state: _alive_streams(state) for state in _BUSY},
}

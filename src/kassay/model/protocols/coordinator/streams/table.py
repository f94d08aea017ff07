"""The state machine of a Streams group (KIP-1071) as data.

The states are derived from the group; the table lists which of them an event may lead to. Source:
`StreamsGroup.StreamsGroupState`.
"""

from __future__ import annotations

from typing import Final

from kassay.model.protocols.shared.table import IGNORE, Rule, Table
from kassay.model.protocols.values.groups import ASSIGNING, EMPTY, RECONCILING, STABLE
from kassay.model.protocols.values.streams.group import NOT_READY

NO_GROUP: Final = "none"
CLASSIC: Final = "classic group"

STREAMS_HEARTBEAT: Final = "StreamsGroupHeartbeat"
STREAMS_LEAVE: Final = "StreamsGroupHeartbeat, epoch < 0"
OTHER_REQUEST: Final = "request of another protocol"
JOIN_GROUP: Final = "JoinGroup"
OFFSET_COMMIT: Final = "OffsetCommit"
MEMBER_TIMER: Final = "timer of a member"
DELAY_TIMER: Final = "initial rebalance delay over"
WRITE_FAILED: Final = "write failed"

_BUSY: Final = (NOT_READY, ASSIGNING, RECONCILING, STABLE)
_ANY: Final = (NO_GROUP, EMPTY, CLASSIC, *_BUSY)


def _alive(state: str) -> dict[str, Rule]:
    """The rules of a group with members: a refused request keeps `state`."""
    return {
        STREAMS_HEARTBEAT: Rule(
            _BUSY, "bump, configure the topology, compute the target, reconcile the member"
        ),
        STREAMS_LEAVE: Rule(
            (EMPTY, NOT_READY, ASSIGNING, RECONCILING), "-1: remove, bump; -2: keep the target"
        )
        if state != STABLE
        else Rule((EMPTY, ASSIGNING, RECONCILING, STABLE), "-1: remove, bump; -2: keep the target"),
        OTHER_REQUEST: Rule((state,), "UNKNOWN_MEMBER_ID; a heartbeat of a consumer: GROUP_ID_NOT_FOUND"),
        JOIN_GROUP: Rule((state,), "INCONSISTENT_GROUP_PROTOCOL"),
        OFFSET_COMMIT: Rule((state,), "ok for the active tasks that the member was given no later"),
        MEMBER_TIMER: Rule((state, EMPTY, NOT_READY, ASSIGNING), "fence the member: remove, bump"),
        DELAY_TIMER: Rule((state, RECONCILING), "compute the first target"),
        WRITE_FAILED: Rule(_ANY, "the group is what it was before the step"),
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
        WRITE_FAILED: Rule(_ANY, "the group is what it was before the step"),
    },
    **{state: _alive(state) for state in _BUSY},
}

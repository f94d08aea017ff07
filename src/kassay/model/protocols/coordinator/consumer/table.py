"""The state machine of a consumer group (KIP-848) as data.

The states are derived from the group; the table lists which of them an event may lead to. Source:
`ConsumerGroup.ConsumerGroupState`.
"""

from __future__ import annotations

from typing import Final

from kassay.model.protocols.shared.table import IGNORE, Rule, Table
from kassay.model.protocols.values.groups import ASSIGNING, EMPTY, RECONCILING, STABLE

NO_GROUP: Final = "none"
CLASSIC: Final = "classic group"
"""The result of a downgrade: the group continues in the table of `classic_table`."""

CONSUMER_HEARTBEAT: Final = "ConsumerGroupHeartbeat"
CONSUMER_LEAVE: Final = "ConsumerGroupHeartbeat, epoch < 0"
JOIN_GROUP: Final = "JoinGroup"
SYNC_GROUP: Final = "SyncGroup"
HEARTBEAT: Final = "Heartbeat"
LEAVE_GROUP: Final = "LeaveGroup"
OFFSET_COMMIT: Final = "OffsetCommit"
MEMBER_TIMER: Final = "timer of a member"
MEMBER_STORED: Final = "classic member stored"
WRITE_FAILED: Final = "write failed"
RESOLVED: Final = "regular expressions resolved"
OFFLOADED: Final = "target computed in the background"

_ANY: Final = (NO_GROUP, EMPTY, ASSIGNING, RECONCILING, STABLE, CLASSIC)


def _alive(state: str) -> dict[str, Rule]:
    """The rules of a group with members: a refused request keeps `state`."""
    gone = (EMPTY, ASSIGNING, CLASSIC)
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
        WRITE_FAILED: Rule(_ANY, "the group is what it was before the step"),
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
        WRITE_FAILED: Rule(_ANY, "the group is what it was before the step"),
        RESOLVED: Rule((EMPTY,), "bump if the topics are others"),
        OFFLOADED: Rule((EMPTY,), "nothing: it is out of date"),
    },
    ASSIGNING: _alive(ASSIGNING),
    RECONCILING: _alive(RECONCILING),
    STABLE: _alive(STABLE),
}

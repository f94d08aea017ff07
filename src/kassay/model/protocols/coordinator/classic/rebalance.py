"""The rebalance of a classic group: prepare, await JoinGroups, complete, send assignments.

Source: `GroupMetadataManager.prepareRebalance`, `completeClassicGroupJoin`, `maybeCompleteJoinPhase`,
`tryCompleteInitialRebalanceElseSchedule`, `expirePendingSync`, `propagateAssignment`.
"""

from __future__ import annotations

from typing import Final

from kassay.model.protocols.coordinator.classic.group import GroupBuilder, subscribed_topics
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import COMPLETING, EMPTY, PREPARING, STABLE, StoredAssignment
from kassay.model.protocols.values.requests import NO_REQUEST, ZERO_BYTES, JoinGroupReply, SyncGroupReply

_WRITE_ERRORS: Final = {
    "UNKNOWN_TOPIC_OR_PARTITION": errors.COORDINATOR_NOT_AVAILABLE,
    "NOT_ENOUGH_REPLICAS": errors.COORDINATOR_NOT_AVAILABLE,
    "REQUEST_TIMED_OUT": errors.COORDINATOR_NOT_AVAILABLE,
    "NOT_LEADER_OR_FOLLOWER": errors.NOT_COORDINATOR,
    "KAFKA_STORAGE_ERROR": errors.NOT_COORDINATOR,
    "MESSAGE_TOO_LARGE": errors.UNKNOWN_SERVER_ERROR,
    "RECORD_LIST_TOO_LARGE": errors.UNKNOWN_SERVER_ERROR,
    "INVALID_FETCH_SIZE": errors.UNKNOWN_SERVER_ERROR,
}


def write_error(error: str) -> str:
    """The error that a client gets if a write failed with `error`."""
    return _WRITE_ERRORS.get(error, error)


def rebalance_or_complete(group: GroupBuilder) -> None:
    """Start a rebalance, or complete the one being prepared if no member is missing."""
    if group.state == PREPARING:
        complete_if_all_joined(group)
    else:
        prepare(group)


def prepare(group: GroupBuilder) -> None:
    """Require every member to join again.

    From Completing, drop the assignments and refuse parked SyncGroups; from Stable, keep them until the next
    ones arrive. From Empty, wait for more members.
    """
    effects = group.effects
    if group.state == COMPLETING:
        clear_assignments(group, errors.REBALANCE_IN_PROGRESS)
    group.pending_sync.clear()
    effects.disarm(requests.SYNC)
    if group.state == EMPTY:
        delay = effects.config.initial_rebalance_delay
        remaining = max(group.rebalance_timeout() - delay, 0)
        effects.arm(requests.JOIN, "", delay, requests.InitialDelay(delay, remaining))
        group.move_to(PREPARING)
        return
    group.move_to(PREPARING)
    if group.all_joined():
        complete(group)
    else:
        effects.arm(requests.JOIN, "", group.rebalance_timeout())


def complete_if_all_joined(group: GroupBuilder) -> None:
    """End the join phase if no member is missing; an initial rebalance still waits for its timer."""
    if group.state == PREPARING and not group.initial and group.all_joined():
        complete(group)


def complete(group: GroupBuilder) -> None:
    """End the join phase with the members that joined; without any, continue waiting.

    Dynamic members that did not join are removed, static ones stay. A leader that joined stays leader.
    """
    effects = group.effects
    effects.disarm(requests.JOIN)
    late = [
        m.member_id
        for m in group.members.values()
        if m.awaiting_join == NO_REQUEST and not m.group_instance_id
    ]
    for member_id in late:
        effects.disarm(requests.SESSION, member_id)
    joined = [m.member_id for m in group.members.values() if m.awaiting_join != NO_REQUEST]
    if joined and group.leader not in joined:
        group.leader = group.pick_leader(joined)
    group.remove(*late)
    if group.members and not joined:
        effects.arm(requests.JOIN, "", group.rebalance_timeout())
        return
    if not group.effects.has("generation_kept"):
        group.generation += 1
    group.protocol = group.pick_protocol() if group.members else ""
    group.subscribed_topics = subscribed_topics(group.protocol_type, group.protocol, group.members.values())
    if group.state != PREPARING:
        # This join timer was armed for a group that no longer exists (see the table). Kafka's state check
        # stops it here, after some changes have already been made.
        return
    group.pending_sync.clear()
    if group.members:
        group.move_to(COMPLETING)
        _answer_joins(group)
    else:
        group.move_to(EMPTY)
        if effects.has("empty_forgets_generation"):
            group.generation = 0
        effects.persist((group.record({}),))


def _answer_joins(group: GroupBuilder) -> None:
    """Send every member the new generation, and await the SyncGroups."""
    for member_id in sorted(group.members):
        group.answer_join(member_id, join_reply(group, member_id))
        group.refresh_session(member_id)
        group.update(member_id, is_new=False)
        group.pending_sync.add(member_id)
    if not group.effects.has("no_sync_timer"):
        group.effects.arm(requests.SYNC, "", group.rebalance_timeout(), (group.generation,))


def join_reply(group: GroupBuilder, member_id: str) -> JoinGroupReply:
    """The reply to a member's JoinGroup in this generation; the leader's lists the members."""
    members = group.member_metadata() if group.leader == member_id else ()
    return JoinGroupReply(
        errors.NONE,
        member_id,
        group.generation,
        group.protocol_type,
        group.protocol,
        group.leader,
        False,
        members,
    )


def initial_delay_over(group: GroupBuilder, delay: int, remaining: int) -> None:
    """The initial delay is over: wait again if members joined meanwhile and time remains."""
    if not group.new_member_added or not remaining:
        complete(group)
        return
    group.new_member_added = False
    more = min(group.effects.config.initial_rebalance_delay, remaining)
    group.effects.arm(requests.JOIN, "", more, requests.InitialDelay(more, max(remaining - delay, 0)))


def sync_timeout(group: GroupBuilder, generation: int) -> None:
    """Members without a SyncGroup in time are removed, and the group rebalances."""
    if generation != group.generation or group.state not in (COMPLETING, STABLE) or not group.pending_sync:
        return
    late = sorted(group.pending_sync)
    for member_id in late:
        group.effects.disarm(requests.SESSION, member_id)
    group.remove(*late)
    prepare(group)


def assignment_stored(group: GroupBuilder, stored: StoredAssignment, error: str) -> None:
    """The leader's assignment is stored or failed: answer all members, unless the group changed meanwhile."""
    if group.state != COMPLETING or group.generation != stored.generation:
        return
    if error:
        clear_assignments(group, write_error(error))
        prepare(group)
        return
    given = dict(stored.assignment)
    for member_id in sorted(group.members):
        group.update(member_id, assignment=given.get(member_id, ZERO_BYTES))
    _propagate(group, errors.NONE)
    group.move_to(STABLE)


def clear_assignments(group: GroupBuilder, error: str) -> None:
    """Drop all assignments and refuse the parked SyncGroups."""
    for member_id in group.members:
        group.update(member_id, assignment=ZERO_BYTES)
    _propagate(group, error)


def _propagate(group: GroupBuilder, error: str) -> None:
    """Answer the parked SyncGroups and restart these sessions, whose expiry was ignored."""
    for member_id in sorted(group.members):
        if error == errors.NONE:
            assignment = group.members[member_id].assignment
            reply = SyncGroupReply(errors.NONE, group.protocol_type, group.protocol, assignment)
        else:
            reply = SyncGroupReply(error)
        if group.answer_sync(member_id, reply):
            group.refresh_session(member_id)

"""ConsumerGroupHeartbeat and the timers of a consumer group.

A heartbeat is checked, then updates the member (and advances the group epoch if subscriptions or topics
changed), computes a new target if the group epoch is ahead, and reconciles this one member. Source:
`GroupMetadataManager.consumerGroupHeartbeat` and its callees.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.consumer.group import (
    Refused,
    bump_records,
    current_record,
    find,
    find_static,
    held,
    is_reconciled,
    member_record,
    names_after,
    names_of,
    removal_records,
    subscription_metadata,
    target_epoch_record,
    target_of,
)
from kassay.model.protocols.coordinator.consumer.regexes import (
    NO_REGEXES,
    RegexChange,
    change_regex,
    drop_members,
)
from kassay.model.protocols.coordinator.consumer.targets import (
    Reads,
    next_target,
    preferred_assignor,
    preferred_with,
    reconcile,
)
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import UNREVOKED, ConsumerGroup, ConsumerMember
from kassay.model.protocols.values.records import UNKNOWN_TIME, LogRecord

COMMIT_VERSION = 9
"""Members of the consumer protocol commit offsets with this version or a later one."""

NEVER: Final = 1 << 30
"""Later than any epoch."""


class Updated(NamedTuple):
    """A member after a heartbeat, and the records of its changes.

    `stale`: the group epoch is ahead of the target, which was not to be computed.
    """

    member: ConsumerMember
    records: tuple[LogRecord, ...]
    stale: bool = False


def check_request(effects: Effects, request: requests.ConsumerHeartbeat) -> None:
    """Raises `Refused` for a request that no group accepts."""
    if request.group_instance_id.isspace():
        raise Refused(errors.INVALID_REQUEST)
    if request.member_epoch == requests.JOIN_EPOCH:
        full = request.rebalance_timeout != -1 and request.topic_partitions == ()
        names = request.subscribed_topic_names
        unnamed = not names if effects.has("empty_names_refused") else names is None
        unnamed = unnamed and request.subscribed_topic_regex is None
        if not full or unnamed:
            raise Refused(errors.INVALID_REQUEST)
    else:
        pauses = request.member_epoch == requests.STATIC_LEAVE_EPOCH
        # Version 0 alone has requests without a member id, and lets a static member pause with one.
        may_be_nameless = pauses and not effects.has("pause_needs_member_id")
        nameless = not request.member_id.strip() and not may_be_nameless
        unnamed = pauses and not request.group_instance_id
        if unnamed or nameless or request.member_epoch < requests.STATIC_LEAVE_EPOCH:
            raise Refused(errors.INVALID_REQUEST)
    if request.subscribed_topic_regex is not None and effects.has("regexes_refused"):
        raise Refused(errors.INVALID_REQUEST)
    if request.server_assignor and request.server_assignor not in effects.config.assignors:
        raise Refused(errors.UNSUPPORTED_ASSIGNOR)


def check_room(effects: Effects, group: ConsumerGroup, member_id: str, instance: str) -> None:
    """Raises `Refused` if the group is full and contains neither the member nor its instance id."""
    if find_static(group, instance) is not None and not effects.has("full_refuses_instances"):
        return
    if len(group.members) >= effects.config.consumer_max_size and find(group, member_id) is None:
        raise Refused(errors.GROUP_MAX_SIZE_REACHED)


def heartbeat(
    effects: Effects, group: ConsumerGroup, request: requests.ConsumerHeartbeat
) -> tuple[LogRecord, ...]:
    """Handle a heartbeat that does not leave: returns the records to write. Raises `Refused`."""
    check_room(effects, group, request.member_id, request.group_instance_id)
    member_id = request.member_id or effects.choices.member_id("")
    member, records = _subscribe(effects, group, request, member_id)
    subscribed, regex = request.subscribed_topic_names, request.subscribed_topic_regex
    wanted = member._replace(
        group_instance_id=request.group_instance_id or member.group_instance_id,
        client_id="",
        rebalance_timeout=(
            member.rebalance_timeout if request.rebalance_timeout == -1 else request.rebalance_timeout
        ),
        assignor=request.server_assignor or member.assignor,
        subscribed=member.subscribed if subscribed is None else tuple(sorted(set(subscribed))),
        classic=(),
        regex=member.regex if regex is None else regex,
    )
    updated, more, _ = update_member(effects, group, member, wanted, request.topic_partitions)
    effects.arm(requests.CONSUMER_SESSION, member_id, effects.config.consumer_session_timeout)
    changed = request.full or updated.assigned != member.assigned
    effects.reply_when_durable(
        request.correlation_id,
        requests.ConsumerHeartbeatReply(
            errors.NONE,
            member_id,
            updated.epoch,
            effects.config.consumer_heartbeat_interval,
            updated.assigned if changed else None,
        ),
    )
    return records + more


def _subscribe(
    effects: Effects, group: ConsumerGroup, request: requests.ConsumerHeartbeat, member_id: str
) -> tuple[ConsumerMember, tuple[LogRecord, ...]]:
    """The member of the request: known, new, or in place of a static one that left."""
    joins = request.member_epoch == requests.JOIN_EPOCH
    if not request.group_instance_id:
        member = find(group, member_id)
        if member is None:
            if not joins:
                raise Refused(errors.UNKNOWN_MEMBER_ID)
            member = ConsumerMember(member_id)
        check_epoch(effects, member, request)
        return member, ()
    known = find_static(group, request.group_instance_id)
    if joins:
        if known is None:
            return find(group, member_id) or ConsumerMember(member_id), ()
        if not known.classic and known.epoch != requests.STATIC_LEAVE_EPOCH:
            raise Refused(errors.UNRELEASED_INSTANCE_ID)
        return replace_static(group, known, member_id)
    member = check_static(known, member_id)
    check_epoch(effects, member, request)
    return member, ()


def check_static(known: ConsumerMember | None, member_id: str) -> ConsumerMember:
    """The member behind an instance id; raises `Refused` if there is none, or it has another id."""
    if known is None:
        raise Refused(errors.UNKNOWN_MEMBER_ID)
    if known.member_id != member_id:
        raise Refused(errors.FENCED_INSTANCE_ID)
    return known


def named(group: ConsumerGroup, member_id: str, instance: str) -> ConsumerMember:
    """The member that a request names; raises `Refused`."""
    return check_static(find_static(group, instance) if instance else find(group, member_id), member_id)


def check_epoch(effects: Effects, member: ConsumerMember, request: requests.ConsumerHeartbeat) -> None:
    """Raises `Refused` for an epoch that is not the member's, unless a reply may have been lost.

    The previous epoch is valid if the client owns no more than it was assigned. Epoch 0 of a known member is
    valid too; with `strict_epoch0`, only under the same condition.
    """
    if request.member_epoch == member.epoch:
        return
    if request.member_epoch == requests.JOIN_EPOCH and not effects.has("strict_epoch0"):
        return
    lost_reply = (
        request.member_epoch == member.prev_epoch
        and request.member_epoch < member.epoch
        and request.topic_partitions is not None
        and all(tp in member.assigned for tp in request.topic_partitions)
    )
    if not lost_reply:
        raise Refused(errors.FENCED_MEMBER_EPOCH)


def replace_static(
    group: ConsumerGroup, known: ConsumerMember, member_id: str
) -> tuple[ConsumerMember, tuple[LogRecord, ...]]:
    """A copy of a static member under a new id, at epoch 0, and the records that replace the old id.

    The old id's timers keep running; they will find no member.
    """
    member = known._replace(member_id=member_id, epoch=0, prev_epoch=0)
    return member, (
        *removal_records(known.member_id),
        member_record(member),
        LogRecord((r.TARGET, member_id), target_of(group, known.member_id)),
        current_record(member),
    )


def update_member(
    effects: Effects,
    group: ConsumerGroup,
    member: ConsumerMember,
    wanted: ConsumerMember,
    owned: requests.Partitions | None,
    *,
    keeps_target: bool = False,
    by_join: bool = False,
) -> Updated:
    """Apply the member's request, advance the epoch, assign, reconcile: the member and the records.

    With `keeps_target` no target is computed, and if one is due no member is reconciled: a rebalance of the
    classic protocol will do that. With `downgrade_follows_subscription` a target counts as due only if the
    subscription changes. `by_join`: the request is JoinGroup, for which another preferred assignor does not
    advance the epoch.
    """
    records: list[LogRecord] = []
    if wanted != member:
        records.append(member_record(wanted))
    # As `removeMember(previousMemberId)` of the target's builder: by the instance id that led to the member.
    replaced = find_static(group, wanted.group_instance_id)
    former = wanted.member_id if replaced is None else replaced.member_id
    others = [m for m in group.members if m.member_id not in (wanted.member_id, former)]
    everybody = sorted([*others, wanted])
    default = effects.config.assignors[0]
    assignor = preferred_with(group.members, member.assignor, wanted.assignor) or default
    renamed = wanted.subscribed != member.subscribed
    regexes = _regexes(effects, group, member, wanted)
    records += regexes.records
    changed = renamed or regexes.bumps
    if by_join:
        changed = changed or bool(member.regex)
    else:
        starts = group.epoch == 0 and effects.has("epochs_from_zero")
        turned = assignor != (preferred_assignor(group.members) or default)
        changed = changed or starts or (turned and not effects.has("assignor_change_waits"))
    topics, epoch = group.topics, group.epoch
    if changed or looks_again(group):
        topics = subscription_metadata(effects.image, names_after(group, member, wanted), regexes.resolved)
        if changed or topics != group.topics:
            records += bump_records(effects, group, topics)
            epoch += 1
        effects.looked_up(epoch)
    if keeps_target:
        older = effects.has("downgrade_follows_subscription")
        if changed if older else epoch > group.target_epoch:
            return Updated(wanted, tuple(records), stale=True)
        epoch = group.target_epoch
    target = next_target(effects, group, wanted, everybody, assignor, topics, epoch)
    records += target.records
    updated = wanted
    resubscribed = renamed or wanted.regex != member.regex
    follows = resubscribed and not effects.has("subscription_ignored")
    if follows or not is_reconciled(wanted, target.epoch):
        taken: set[TopicPartition] = set() if effects.has("ignore_unreleased") else held(group)
        reads = _reads(effects, wanted, group, changed=follows)
        updated = reconcile(effects, wanted, target.epoch, target.own, owned, taken, reads)
    if updated != wanted:
        records.append(current_record(updated))
        _watch_revocation(effects, updated)
    return Updated(updated, tuple(records))


def _regexes(
    effects: Effects, group: ConsumerGroup, member: ConsumerMember, wanted: ConsumerMember
) -> RegexChange:
    """The heartbeat's effect on the group's expressions. Raises `Refused`."""
    if not (wanted.regex or member.regex or any(m.regex for m in group.members)):
        return NO_REGEXES
    change = change_regex(effects, group, member, wanted)
    if change.error != errors.NONE:
        raise Refused(change.error)
    return change


def _reads(effects: Effects, member: ConsumerMember, group: ConsumerGroup, *, changed: bool) -> Reads | None:
    """The topics, by id, that the member subscribes to; None if its assignment does not depend on them."""
    if effects.has("subscription_ignored"):
        return None
    names = member.reads(group.resolved)
    ids = frozenset(topic.topic_id for topic in effects.image if topic.name in names)
    return Reads(ids, changed, bool(names))


def looks_again(group: ConsumerGroup) -> bool:
    """Whether the next heartbeat looks up the group's topics again: the result may have changed."""
    return not group.refreshed or group.epoch < group.refreshed[0]


def _watch_revocation(effects: Effects, member: ConsumerMember) -> None:
    """Arm the member's revocation timer (its rebalance timeout); classic members have their own timers."""
    if member.classic:
        return
    if member.state == UNREVOKED:
        effects.arm(requests.REVOCATION, member.member_id, member.rebalance_timeout, (member.epoch,))
    else:
        effects.disarm(requests.REVOCATION, member.member_id)


def leave_for_a_while(member: ConsumerMember) -> tuple[LogRecord, ...]:
    """A static member leaves temporarily: it keeps its target, and its timers keep running."""
    away = member._replace(
        epoch=requests.STATIC_LEAVE_EPOCH,
        pending=(),
        assigned_epochs=(0,) * len(member.assigned_epochs),
        pending_epochs=(),
    )
    return (current_record(away),)


def remove_members(
    effects: Effects, group: ConsumerGroup, members: list[ConsumerMember]
) -> tuple[LogRecord, ...]:
    """Remove members: their partitions become free, the group epoch increases, their timers stop."""
    gone = {member.member_id for member in members}
    records = [record for member in members for record in removal_records(member.member_id)]
    tombstones, resolved = drop_members(group, members)
    records += tombstones
    left = (m for m in group.members if m.member_id not in gone)
    topics = subscription_metadata(effects.image, names_of(left), resolved)
    records += bump_records(effects, group, topics)
    if len(gone) == len(group.members) and not effects.has("empty_keeps_target_epoch"):
        records.append(target_epoch_record(effects, group.epoch + 1, UNKNOWN_TIME))
    for member in members:
        disarm_all(effects, member.member_id)
    return tuple(records)


def disarm_all(effects: Effects, member_id: str) -> None:
    """Stop every timer of a member in a consumer group."""
    for kind in (
        requests.CONSUMER_SESSION,
        requests.REVOCATION,
        requests.CLASSIC_JOIN,
        requests.CLASSIC_SYNC,
    ):
        effects.disarm(kind, member_id)


def fenced_by(group: ConsumerGroup, fired: requests.TimerFired) -> ConsumerMember | None:
    """The member that a timer removes; None if it has left, or has left the timer's epoch."""
    member = find(group, fired.timer.member_id)
    if member is not None and fired.timer.kind == requests.REVOCATION and fired.payload != (member.epoch,):
        return None
    return member


def check_commit(effects: Effects, group: ConsumerGroup, request: requests.OffsetCommit) -> None:
    """Raises `Refused` for an OffsetCommit that is not allowed.

    A commit under an earlier epoch of its member is allowed if the member has had each of its partitions
    since then (KIP-1251); a single other partition refuses the whole request.
    """
    if effects.has("no_generation_fence") or (request.generation_id < 0 and not group.members):
        return
    member = find(group, request.member_id)
    if member is None:
        raise Refused(errors.UNKNOWN_MEMBER_ID)
    if not member.classic and request.api_version < COMMIT_VERSION:
        raise Refused(errors.UNSUPPORTED_VERSION)
    if request.generation_id == member.epoch:
        return
    if (
        request.generation_id > member.epoch
        or effects.has("commits_at_epoch_only")
        or not has_had(effects.image, member, request)
    ):
        raise Refused(errors.ILLEGAL_GENERATION if member.classic else errors.STALE_MEMBER_EPOCH)


def has_had(image: requests.Image, member: ConsumerMember, request: requests.OffsetCommit) -> bool:
    """Whether the member has had every committed partition at least since the epoch in the request.

    A partition of a topic that does not exist is none that it has had.
    """
    ids = {topic.name: topic.topic_id for topic in image}
    since = member.assignment_epochs
    return all(
        since.get(TopicPartition(ids.get(tp.topic, ""), tp.partition), NEVER) <= request.generation_id
        for tp, _ in request.offsets
    )

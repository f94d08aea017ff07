"""The target assignment of a consumer group: its assignor, when it is computed, and how a member reaches it.

Assignor. The preferred server-side assignor of a group: most votes, and on a tie the first in Kafka's
map. The order of the map of votes matters. What a group prefers is read from its own map, what it would
prefer once a member is updated from a copy in which that member's vote is taken out and put in again:
where two assignors share a bucket, as uniform and range do, the copy can have them the other way round.

Target. A target is due once the group epoch is ahead of it. The assignment interval separates two
targets; the next heartbeat after it computes, and until then members move towards the old target. With
offloading, which no release has, the target is computed in the background and written when it is ready.

Reconciliation. `CONSUMER_MEMBER` lists where a heartbeat may lead a member. The rule is one function of
the member, its target and all held partitions: first revoke, and assign only free partitions. Source:
`ConsumerGroup.preferredServerAssignor`, `computePreferredServerAssignor`.
`GroupMetadataManager.maybeUpdateTargetAssignment`, `canComputeNextTargetAssignment`;
`TargetAssignmentBuilder`; `CurrentAssignmentBuilder` (KIP-848, section "Reconciliation"). KIP-1263.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.java import bucket_order, computed_order, string_hash
from kassay.model.protocols.coordinator.consumer.group import (
    find,
    find_static,
    target_epoch_record,
    target_of,
)
from kassay.model.protocols.table import Rule, check_move, look_up, total
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.choices import Effects, Target, TargetAsk, TargetMember
from kassay.model.protocols.values.groups import (
    MEMBER_STABLE,
    UNRELEASED,
    UNREVOKED,
    ConsumerGroup,
    ConsumerMember,
)
from kassay.model.protocols.values.marks import Generation
from kassay.model.protocols.values.records import UNKNOWN_TIME, LogRecord, Offloaded
from kassay.model.protocols.values.requests import NO_GENERATION, Image, Partitions

_FIBONACCI: Final = -7046029254386353131


def preferred_assignor(members: Iterable[ConsumerMember]) -> str:
    """The server-side assignor that a group of these members prefers, "" if no member has a preference."""
    votes = Counter(member.assignor for member in members if member.assignor)
    return _most(votes, _timeline_order(tuple(sorted(votes)))) if votes else ""


def preferred_with(members: Iterable[ConsumerMember], before: str, after: str) -> str:
    """The preference of a group of these members after one of them, or a new one, changes its vote.

    `before` and `after` are the votes of that member, "" for none.
    """
    votes = Counter(member.assignor for member in members if member.assignor)
    if not votes and not after:
        return ""
    order = list(_timeline_order(tuple(sorted(votes))))
    capacity = int(len(order) / 0.75 + 1) if order else 16
    order = bucket_order(order, string_hash, capacity)
    if before:
        votes[before] -= 1
        if not votes[before]:
            del votes[before]
            order.remove(before)
    if after:
        if after not in votes:
            order = _put_in_front(order, after, capacity)
        votes[after] += 1
    return _most(votes, order) if votes else ""


def _most(votes: Counter[str], order: Iterable[str]) -> str:
    """The first in this order among those with the most votes."""
    most = max(votes.values())
    return next(name for name in order if votes[name] == most)


def _put_in_front(order: list[str], name: str, capacity: int) -> list[str]:
    """The order of a `java.util.HashMap` after `compute` adds a name: first within its bucket."""
    # `computed_order` treats its keys as added one by one, each first in its bucket: the last comes first.
    return computed_order([*reversed(order), name], string_hash, capacity)


@cache
def _timeline_order(names: tuple[str, ...]) -> tuple[str, ...]:
    """The iteration order of names in Kafka's `TimelineHashMap`; within one slot, by name."""
    slots = 2
    while len(names) * 0.75 > slots:
        slots *= 2
    shift = 65 - slots.bit_length()

    def slot(name: str) -> int:
        return ((string_hash(name) * _FIBONACCI) & (2**64 - 1)) >> shift

    return tuple(sorted(names, key=slot))


class LedTo(NamedTuple):
    """The target for a member: its epoch, the member's partitions, the records of a new target."""

    epoch: Generation
    own: Partitions
    records: tuple[LogRecord, ...] = ()


def next_target(
    effects: Effects,
    group: ConsumerGroup,
    member: ConsumerMember,
    members: list[ConsumerMember],
    assignor: str,
    topics: Image,
    epoch: Generation,
) -> LedTo:
    """The target for a member, given the group's epoch, `members` and topics after the request."""
    present = LedTo(group.target_epoch, _present_target(group, member))
    if epoch <= group.target_epoch or not _may_compute(effects, group):
        return present
    if effects.config.offload and effects.background.targets:
        return present
    known = _known_targets(effects, group, member)
    target = _compute(effects, group, known, assignor, members, topics)
    if effects.config.offload:
        instances = {each.member_id: each.group_instance_id for each in members}
        begun = Offloaded(epoch, tuple((name, instances[name], tps) for name, tps in target))
        effects.background = effects.background._replace(targets=(begun,))
        return present
    records = [LogRecord((r.TARGET, name), tps) for name, tps in target if known.get(name) != tps]
    records.append(target_epoch_record(effects, epoch, max(effects.now, 0)))
    return LedTo(epoch, dict(target)[member.member_id], tuple(records))


def _may_compute(effects: Effects, group: ConsumerGroup) -> bool:
    """Whether the interval since the last target is over; a group's first target needs no wait."""
    interval = effects.config.assignment_interval
    if not interval or group.target_time == UNKNOWN_TIME or effects.has("targets_at_once"):
        return True
    return effects.now >= group.target_time + interval


def _present_target(group: ConsumerGroup, member: ConsumerMember) -> Partitions:
    """The member's target; a replacing static member's is still stored under the old id."""
    known = find_static(group, member.group_instance_id)
    if member.group_instance_id:
        return target_of(group, known.member_id) if known else ()
    return target_of(group, member.member_id)


def _known_targets(effects: Effects, group: ConsumerGroup, member: ConsumerMember) -> dict[str, Partitions]:
    """The current targets by member id; the target of a replaced static member under the new id."""
    known = dict(group.target)
    replaced = find_static(group, member.group_instance_id)
    if replaced and replaced.member_id in known and not effects.has("target_stays_with_instance"):
        known[member.member_id] = known.pop(replaced.member_id)
    return known


def _compute(
    effects: Effects,
    group: ConsumerGroup,
    known: dict[str, Partitions],
    assignor: str,
    members: list[ConsumerMember],
    topics: Image,
) -> Target:
    everything = tuple(topic.name for topic in topics) if effects.has("subscriptions_pooled") else None
    own = {} if effects.has("target_stays_with_instance") else known
    seen = tuple(
        TargetMember(
            m.member_id,
            m.group_instance_id,
            everything or m.reads(group.resolved),
            own[m.member_id] if m.member_id in own else _present_target(group, m),
        )
        for m in members
    )
    return effects.choices.target(TargetAsk(assignor, seen, topics))


def offloaded_records(effects: Effects, group: ConsumerGroup, computed: Offloaded) -> tuple[LogRecord, ...]:
    """The records of a target computed in the background, () if it is outdated.

    Members that have left since are skipped, and a replacing static member gets its predecessor's partitions:
    as if they had left or joined afterwards.
    """
    if not group.target_epoch < computed.epoch <= group.epoch:
        # The group was empty in between, or the write of the step that began this failed.
        return ()
    known = dict(group.target)
    records = []
    for name, instance, tps in computed.target:
        member = find_static(group, instance) if instance else find(group, name)
        if member is not None and known.get(member.member_id) != tps:
            records.append(LogRecord((r.TARGET, member.member_id), tps))
    return (*records, target_epoch_record(effects, computed.epoch, max(effects.now, 0)))


AT_TARGET: Final = "heartbeat at the target epoch"
BEHIND: Final = "heartbeat behind the target epoch"
REVOKED: Final = "heartbeat that owns nothing pending"
REVOKING: Final = "heartbeat that still owns, or says nothing"

_ALL: Final = (MEMBER_STABLE, UNREVOKED, UNRELEASED)
_NEXT: Final = Rule(_ALL, "keep what is in the target; revoke the rest first; then take what is free")
_WAIT: Final = Rule((UNREVOKED,), "give up what it no longer reads too; a newer target waits")
_FOLLOW: Final = Rule((MEMBER_STABLE, UNREVOKED), "nothing, or give up what it no longer reads")

CONSUMER_MEMBER: Final = total(
    (AT_TARGET, BEHIND, REVOKED, REVOKING),
    {
        MEMBER_STABLE: {AT_TARGET: _FOLLOW, BEHIND: _NEXT},
        UNREVOKED: {REVOKED: Rule(_ALL, "on to the newest target"), REVOKING: _WAIT},
        UNRELEASED: {AT_TARGET: _NEXT, BEHIND: _NEXT},
    },
)


class Reads(NamedTuple):
    """The ids of the topics that a member subscribes to; `changed`: by this very heartbeat.

    `named`: it names a topic, or its expression matches one, whether or not that topic exists.
    """

    topics: frozenset[str]
    changed: bool
    named: bool


def event_for(member: ConsumerMember, target_epoch: int, owned: Partitions | None) -> str:
    """The kind of this heartbeat, as an event of the member."""
    if member.state == UNREVOKED:
        return REVOKING if _owns(owned, member.pending) else REVOKED
    return AT_TARGET if member.epoch == target_epoch else BEHIND


def _owns(owned: Partitions | None, pending: Partitions) -> bool:
    """Whether the client still owns any of these; a heartbeat without a list counts as owning them."""
    return owned is None or any(tp in pending for tp in owned)


def reconcile(
    effects: Effects,
    member: ConsumerMember,
    target_epoch: int,
    target: Partitions,
    owned: Partitions | None,
    taken: set[TopicPartition],
    reads: Reads | None,
) -> ConsumerMember:
    """The member after a heartbeat; `taken` are the partitions held by any member, including this one.

    Partitions that a member does not subscribe to count as missing from its target; without `reads`, only its
    target counts.
    """
    if owned is None and effects.has("silence_revokes"):
        owned = ()
    event = event_for(member, target_epoch, owned)
    look_up(CONSUMER_MEMBER, member.state, event)
    if event == REVOKING or (event == AT_TARGET and member.state == MEMBER_STABLE):
        updated = _follow(effects, member, owned, reads) if reads and reads.changed else member
        check_move(CONSUMER_MEMBER, member.state, event, updated.state)
        return updated
    if reads:
        target = tuple(tp for tp in target if tp.topic in reads.topics)
    if event == REVOKED and effects.has("recompute_on_new_target") and target_epoch > member.epoch + 1:
        return member
    counts_up = event == REVOKED and effects.has("revocation_counts_up")
    epoch = member.epoch + 1 if counts_up else member.epoch
    updated = _next(effects, member, epoch, target_epoch, target, owned, taken)
    check_move(CONSUMER_MEMBER, member.state, event, updated.state)
    return updated


def _next(
    effects: Effects,
    member: ConsumerMember,
    epoch: int,
    target_epoch: int,
    target: Partitions,
    owned: Partitions | None,
    taken: set[TopicPartition],
) -> ConsumerMember:
    keep = tuple(tp for tp in member.assigned if tp in target)
    revoke = tuple(tp for tp in member.assigned if tp not in target)
    want = [tp for tp in target if tp not in keep]
    lost: Partitions = ()
    if effects.has("pend_reassign_loses_epoch"):
        lost = tuple(tp for tp in want if tp in member.pending)
    if revoke and _owns(owned, revoke):
        # The previous epoch becomes the member's current one, even if that has just increased.
        pending = () if effects.has("revocation_not_awaited") else revoke
        held = member._replace(
            state=UNREVOKED, epoch=epoch, prev_epoch=member.epoch, assigned=keep, pending=pending
        )
        return _dated(effects, member, held)
    own = lost if effects.has("own_pending_blocks") else member.pending
    free = [tp for tp in want if tp not in taken or tp in own]
    arrived = member._replace(
        state=MEMBER_STABLE if len(free) == len(want) else UNRELEASED,
        epoch=target_epoch,
        prev_epoch=member.epoch,
        assigned=tuple(sorted((*keep, *free))),
        pending=lost,
    )
    return _dated(effects, member, arrived, free)


def _follow(
    effects: Effects, member: ConsumerMember, owned: Partitions | None, reads: Reads
) -> ConsumerMember:
    """The member in its epoch without unsubscribed partitions, which it must revoke if it owns them.

    Kafka compares references: without names it takes the empty map, which a member that was never assigned
    anything has, too.
    """
    assigned = tuple(tp for tp in member.assigned if tp.topic in reads.topics)
    never_assigned = member.prev_epoch == NO_GENERATION
    if assigned == member.assigned and (reads.named or member.pending or never_assigned):
        return member
    pending = tuple(sorted({*member.pending, *member.assigned} - {*assigned}))
    revoking = bool(pending) and _owns(owned, pending)
    followed = member._replace(
        state=UNREVOKED if revoking else member.state,
        prev_epoch=member.prev_epoch if effects.has("unsubscribing_keeps_prev_epoch") else member.epoch,
        assigned=assigned,
        pending=pending if revoking else member.pending,
    )
    return _dated(effects, member, followed)


def _dated(
    effects: Effects, before: ConsumerMember, after: ConsumerMember, fresh: Iterable[TopicPartition] = ()
) -> ConsumerMember:
    """The member with the assignment epochs of its partitions; those in `fresh` get its own."""
    if effects.has("no_assignment_epochs"):
        return after
    since = before.assignment_epochs | dict.fromkeys(fresh, after.epoch)
    return after._replace(
        assigned_epochs=tuple([since[tp] for tp in after.assigned]),
        pending_epochs=tuple([since[tp] for tp in after.pending]),
    )

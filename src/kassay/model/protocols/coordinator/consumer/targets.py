"""The target assignment of a consumer group: its contents and the time of its computation.

A target is due once the group epoch is ahead of it. The assignment interval separates two targets; the next
heartbeat after it computes, and until then members move towards the old target. With offloading, which no
release has, the target is computed in the background and written when it is ready. Source:
`GroupMetadataManager.maybeUpdateTargetAssignment`, `canComputeNextTargetAssignment`;
`TargetAssignmentBuilder`; KIP-1263.
"""

from __future__ import annotations

from typing import NamedTuple

from kassay.model.protocols.coordinator.consumer.group import (
    find,
    find_static,
    target_epoch_record,
    target_of,
)
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.background import Offloaded
from kassay.model.protocols.values.choices import Target, TargetAsk, TargetMember
from kassay.model.protocols.values.effects import Effects
from kassay.model.protocols.values.groups import ConsumerGroup, ConsumerMember
from kassay.model.protocols.values.marks import Generation
from kassay.model.protocols.values.records import UNKNOWN_TIME, LogRecord
from kassay.model.protocols.values.requests import Image, Partitions


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

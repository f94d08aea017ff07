"""The target assignment of a consumer group: when it is computed, and of what it consists.

A target is due once the group epoch is ahead of it. Between two lies the assignment interval, after which the
next heartbeat computes; until then members go on towards the old one. Offloaded, which no release does, the
target is computed beside the requests and written when it is ready.
Source: `GroupMetadataManager.maybeUpdateTargetAssignment`, `canComputeNextTargetAssignment`;
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
    """The target that a member is led to: its epoch, what the member shall own, the records of a new one."""

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
    """The target for a member once the group has this epoch, `members` as they are then, and these topics."""
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
    """Whether the interval since the last target is over; the first one of a group waits for none."""
    interval = effects.config.assignment_interval
    if not interval or group.target_time == UNKNOWN_TIME or effects.has("targets_at_once"):
        return True
    return effects.now >= group.target_time + interval


def _present_target(group: ConsumerGroup, member: ConsumerMember) -> Partitions:
    """The member's target; a static one's is still under the id that it replaces."""
    known = find_static(group, member.group_instance_id)
    if member.group_instance_id:
        return target_of(group, known.member_id) if known else ()
    return target_of(group, member.member_id)


def _known_targets(effects: Effects, group: ConsumerGroup, member: ConsumerMember) -> dict[str, Partitions]:
    """The targets so far by member id, that of whom a static member replaces under the new id."""
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
    asked = tuple(
        TargetMember(
            m.member_id,
            m.group_instance_id,
            everything or m.reads(group.resolved),
            own[m.member_id] if m.member_id in own else _present_target(group, m),
        )
        for m in members
    )
    return effects.choices.target(TargetAsk(assignor, asked, topics))


def offloaded_records(effects: Effects, group: ConsumerGroup, computed: Offloaded) -> tuple[LogRecord, ...]:
    """The records of a target that was computed in the background, () if it is out of date.

    Who has gone since is left out, and who has come in a static member's place gets what that one was to
    have: as if they had gone, or come, afterwards.
    """
    if not group.target_epoch < computed.epoch <= group.epoch:
        # The group was empty in between, or the step that began this could not be written.
        return ()
    known = dict(group.target)
    records = []
    for name, instance, tps in computed.target:
        member = find_static(group, instance) if instance else find(group, name)
        if member is not None and known.get(member.member_id) != tps:
            records.append(LogRecord((r.TARGET, member.member_id), tps))
    return (*records, target_epoch_record(effects, computed.epoch, max(effects.now, 0)))

"""The consumer group of KIP-848: what follows from its state, and how records change it.

A consumer group changes only by its records: a step computes them from the group as it was, and the
next group is the former with the records replayed, which is also how a failover rebuilds it.
Source: `ConsumerGroup`, `ModernGroup`, and the `replay` methods of `GroupMetadataManager`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, cast

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.choices import ASSIGNOR, Choices
from kassay.model.protocols.values.groups import (
    ASSIGNING,
    EMPTY,
    MEMBER_STABLE,
    RECONCILING,
    STABLE,
    ConsumerGroup,
    ConsumerMember,
    Group,
)
from kassay.model.protocols.values.records import CurrentValue, LogRecord, MemberValue
from kassay.model.protocols.values.requests import Image, Partitions


def group_state(group: ConsumerGroup) -> str:
    """Empty, Assigning (the target is behind), Reconciling (a member is not at its target) or Stable."""
    if not group.members:
        return EMPTY
    if group.epoch > group.target_epoch:
        return ASSIGNING
    settled = all(is_reconciled(member, group.target_epoch) for member in group.members)
    return STABLE if settled else RECONCILING


def is_reconciled(member: ConsumerMember, target_epoch: int) -> bool:
    """Whether the member has its target of that epoch."""
    return member.epoch == target_epoch and member.state == MEMBER_STABLE


def find(group: ConsumerGroup, member_id: str) -> ConsumerMember | None:
    """The member with an id."""
    return next((member for member in group.members if member.member_id == member_id), None)


def find_static(group: ConsumerGroup, instance: str) -> ConsumerMember | None:
    """The member with an instance id."""
    return next((m for m in group.members if instance and m.group_instance_id == instance), None)


def target_of(group: ConsumerGroup, member_id: str) -> Partitions:
    """What the member shall own."""
    return dict(group.target).get(member_id, ())


def held(group: ConsumerGroup) -> set[TopicPartition]:
    """The partitions that some member holds, those it must still revoke included.

    What one member both has and must revoke has lost its epoch: only the switch
    pend_reassign_loses_epoch makes such a thing, and it looks free to all others.
    """
    return {tp for member in group.members for tp in {*member.assigned} ^ {*member.pending}}


def subscription_metadata(image: Image, members: Iterable[ConsumerMember]) -> Image:
    """The existing topics that the members subscribe to."""
    names = {topic for member in members for topic in member.subscribed}
    return tuple(topic for topic in image if topic.name in names)


def preferred_assignor(members: Iterable[ConsumerMember], choices: Choices) -> str:
    """The server-side assignor that most members ask for, "" if none asks."""
    votes = Counter(member.assignor for member in members if member.assignor)
    if not votes:
        return ""
    most = max(votes.values())
    return choices.pick(ASSIGNOR, sorted(name for name in votes if votes[name] == most))


# Records.


def member_record(member: ConsumerMember) -> LogRecord:
    """The subscription of a member."""
    value = MemberValue(*(getattr(member, field) for field in MemberValue._fields))
    return LogRecord((r.MEMBER, member.member_id), value)


def current_record(member: ConsumerMember) -> LogRecord:
    """The current assignment of a member."""
    value = CurrentValue(*(getattr(member, field) for field in CurrentValue._fields))
    return LogRecord((r.CURRENT, member.member_id), value)


def removal_records(member_id: str) -> tuple[LogRecord, ...]:
    """The tombstones of a member."""
    return tuple(LogRecord((kind, member_id), None) for kind in (r.CURRENT, r.TARGET, r.MEMBER))


def group_tombstones(group: ConsumerGroup, replaced: str = "", by: str = "") -> tuple[LogRecord, ...]:
    """The tombstones of a whole group; those of the member `replaced` go under the id of who comes `by`."""
    ids = [by if member.member_id == replaced else member.member_id for member in group.members]
    members = tuple(record for member_id in ids for record in removal_records(member_id))
    whole = (r.TARGET_EPOCH, r.TOPICS, r.EPOCH)
    return members + tuple(LogRecord((kind, ""), None) for kind in whole)


def all_records(group: ConsumerGroup) -> tuple[LogRecord, ...]:
    """A whole group as records, without the subscription metadata."""
    return (
        *map(member_record, group.members),
        LogRecord((r.EPOCH, ""), group.epoch),
        *(LogRecord((r.TARGET, member_id), tps) for member_id, tps in group.target),
        LogRecord((r.TARGET_EPOCH, ""), group.target_epoch),
        *map(current_record, group.members),
    )


def replay(group: Group, records: Iterable[LogRecord]) -> Group:
    """The group after records of a consumer group; a classic group they start from is gone."""
    before = group if isinstance(group, ConsumerGroup) else ConsumerGroup()
    exists = isinstance(group, ConsumerGroup)
    fields: dict[str, Any] = {}
    members = {member.member_id: member for member in before.members}
    target = dict(before.target)
    for (kind, name), value in records:
        key = str(name)
        if kind == r.GROUP:
            continue
        if kind == r.EPOCH:
            exists = value is not None
            fields["epoch"] = value
        elif kind == r.TARGET_EPOCH:
            fields["target_epoch"] = value
        elif kind == r.TOPICS:
            fields["topics"] = value or ()
        elif kind == r.TARGET and value is None:
            target.pop(key, None)
        elif kind == r.TARGET:
            target[key] = cast("Partitions", value)
        elif kind == r.MEMBER and value is None:
            members.pop(key, None)
        elif isinstance(value, MemberValue | CurrentValue):
            members[key] = members.get(key, ConsumerMember(key))._replace(**value._asdict())
    if not exists:
        return None
    return before._replace(
        **fields,
        members=tuple([members[member_id] for member_id in sorted(members)]),
        target=tuple(sorted(target.items())),
    )

"""The consumer group of KIP-848: derived state, and changes through records.

A consumer group changes only by its records: a step computes them from the previous group, and replaying them
on it gives the next one. A failover rebuilds the group the same way. Source: `ConsumerGroup`, `ModernGroup`,
and the `replay` methods of `GroupMetadataManager`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final, cast

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values import errors
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.choices import Effects
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
from kassay.model.protocols.values.records import (
    CurrentValue,
    EpochValue,
    LogRecord,
    MemberValue,
    Regex,
    RegexMatches,
    Resolved,
    TargetEpochValue,
)
from kassay.model.protocols.values.requests import Image, Partitions

_FRESH: Final = ConsumerGroup()


class Refused(Exception):
    """A request gets an error and writes nothing."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


def group_state(group: ConsumerGroup) -> str:
    """Empty, Assigning (the target is outdated), Reconciling (a member is not at its target) or Stable."""
    if not group.members:
        return EMPTY
    if group.epoch > group.target_epoch:
        return ASSIGNING
    settled = all(is_reconciled(member, group.target_epoch) for member in group.members)
    return STABLE if settled else RECONCILING


def is_reconciled(member: ConsumerMember, target_epoch: int) -> bool:
    """Whether the member has reached its target of that epoch."""
    return member.epoch == target_epoch and member.state == MEMBER_STABLE


def find(group: ConsumerGroup, member_id: str) -> ConsumerMember | None:
    """The member with an id, or None."""
    return next((member for member in group.members if member.member_id == member_id), None)


def find_static(group: ConsumerGroup, instance: str) -> ConsumerMember | None:
    """The member with an instance id, or None; raises `Refused` if the group only remembers one."""
    if group.statics:
        member_id = dict(group.statics[0]).get(instance)
        member = None if member_id is None else find(group, member_id)
        if member is None and member_id is not None:
            raise Refused(errors.UNKNOWN_MEMBER_ID)
        return member
    return next((m for m in group.members if instance and m.group_instance_id == instance), None)


def target_of(group: ConsumerGroup, member_id: str) -> Partitions:
    """The member's target."""
    return dict(group.target).get(member_id, ())


def held(group: ConsumerGroup) -> set[TopicPartition]:
    """The partitions that some member holds, including those it must still revoke.

    A partition that a member both owns and must revoke has lost its epoch: only the switch
    pend_reassign_loses_epoch causes that, and all other members see it as free.
    """
    return {tp for member in group.members for tp in {*member.assigned} ^ {*member.pending}}


def names_of(members: Iterable[ConsumerMember]) -> set[str]:
    """The names of topics that the members subscribe to."""
    return {name for member in members for name in member.subscribed}


def names_after(group: ConsumerGroup, member: ConsumerMember, wanted: ConsumerMember) -> set[str]:
    """The same once a member of the group, or one in the place of such a member, is as wanted.

    Kafka counts the members of each name. One that takes the place of another member still counts with the
    names that it had itself. Source: `ModernGroup.computeSubscribedTopicNames`.
    """
    counts = Counter(name for each in group.members for name in each.subscribed)
    counts.subtract(member.subscribed)
    counts.update(wanted.subscribed)
    return {name for name, count in counts.items() if count > 0}


def subscription_metadata(image: Image, subscribed: set[str], resolved: Resolved = ()) -> Image:
    """The existing topics among those subscribed to, and the matches of expressions."""
    names = subscribed | {topic for _, result in resolved for topic in result.topics}
    return tuple(topic for topic in image if topic.name in names)


# Records.


def member_record(member: ConsumerMember) -> LogRecord:
    """The record of a member's subscription."""
    value = MemberValue(*(getattr(member, field) for field in MemberValue._fields))
    return LogRecord((r.MEMBER, member.member_id), value)


def current_record(member: ConsumerMember) -> LogRecord:
    """The record of a member's current assignment."""
    value = CurrentValue(*(getattr(member, field) for field in CurrentValue._fields))
    return LogRecord((r.CURRENT, member.member_id), value)


def removal_records(member_id: str) -> tuple[LogRecord, ...]:
    """The tombstones of a member."""
    return tuple(LogRecord((kind, member_id), None) for kind in (r.CURRENT, r.TARGET, r.MEMBER))


def group_tombstones(group: ConsumerGroup, replaced: str = "", by: str = "") -> tuple[LogRecord, ...]:
    """The tombstones of a whole group; those of the member `replaced` use the id of its successor `by`."""
    ids = [by if member.member_id == replaced else member.member_id for member in group.members]
    members = tuple(record for member_id in ids for record in removal_records(member_id))
    target, *whole = (LogRecord((kind, ""), None) for kind in (r.TARGET_EPOCH, r.TOPICS, r.EPOCH))
    regexes = (LogRecord((r.REGEX, Regex(regex)), None) for regex, _ in group.resolved)
    return (*members, target, *regexes, *whole)


def epoch_record(effects: Effects, epoch: int, topics: Image) -> LogRecord:
    """The record of a group's epoch, with the existing subscribed topics."""
    plain = effects.has("topics_recorded")
    return LogRecord((r.EPOCH, ""), epoch if plain else EpochValue(epoch, topics))


def bump_records(effects: Effects, group: ConsumerGroup, topics: Image) -> tuple[LogRecord, ...]:
    """The records that advance the group to its next epoch, with these subscribed topics."""
    epoch = epoch_record(effects, group.epoch + 1, topics)
    if any(target.epoch > group.epoch for target in effects.background.targets):
        # A step whose write failed began it for this same epoch.
        effects.background = effects.background._replace(targets=())
    if effects.has("topics_recorded") and topics != group.topics:
        return LogRecord((r.TOPICS, ""), topics), epoch
    return (epoch,)


def target_epoch_record(effects: Effects, epoch: int, time: int) -> LogRecord:
    """The record of a target's epoch and of the time at which it was computed."""
    plain = effects.has("targets_undated")
    return LogRecord((r.TARGET_EPOCH, ""), epoch if plain else TargetEpochValue(epoch, time))


def all_records(effects: Effects, group: ConsumerGroup) -> tuple[LogRecord, ...]:
    """A whole group as records; without topics if these have a record of their own and are not looked up."""
    recorded = effects.has("topics_recorded") and not effects.has("upgrade_always_bumps")
    return (
        *map(member_record, group.members),
        *([LogRecord((r.TOPICS, ""), group.topics)] if recorded else []),
        epoch_record(effects, group.epoch, group.topics),
        *(LogRecord((r.TARGET, member_id), tps) for member_id, tps in group.target),
        target_epoch_record(effects, group.target_epoch, group.target_time),
        *map(current_record, group.members),
    )


def new_group(effects: Effects) -> ConsumerGroup:
    """A group without members."""
    return empty_group(effects.has)


def empty_group(has: Callable[[str], bool]) -> ConsumerGroup:
    """A group without members, given the active switches."""
    first = 0 if has("epochs_from_zero") else 1
    return ConsumerGroup(first, first, statics=((),) if has("instances_remembered") else ())


def remembering(effects: Effects, group: ConsumerGroup) -> ConsumerGroup:
    """The group with the memory of a step that has no record; a failed write does not undo it."""
    return group if effects.refreshed is None else group._replace(refreshed=effects.refreshed)


def replay(group: Group, records: Iterable[LogRecord], fresh: ConsumerGroup = _FRESH) -> Group:
    """The group after records of a consumer group; a classic group is replaced by a `fresh` one."""
    before = group if isinstance(group, ConsumerGroup) else fresh
    exists = isinstance(group, ConsumerGroup)
    fields: dict[str, Any] = {}
    members = {member.member_id: member for member in before.members}
    target = dict(before.target)
    resolved = dict(before.resolved)
    statics = dict(before.statics[0]) if before.statics else {}
    for (kind, name), value in records:
        key = str(name)
        if kind == r.GROUP:
            continue
        if kind == r.EPOCH:
            exists = value is not None
            fields |= value._asdict() if isinstance(value, EpochValue) else {"epoch": value}
        elif isinstance(value, TargetEpochValue):
            fields |= {"target_epoch": value.epoch, "target_time": value.time}
        elif kind == r.TARGET_EPOCH:
            fields["target_epoch"] = value
        elif isinstance(name, Regex):
            resolved.pop(name.regex, None)
            if isinstance(value, RegexMatches):
                exists = True
                resolved[name.regex] = value
        elif kind == r.TOPICS:
            fields["topics"] = value or ()
        elif kind == r.TARGET and value is None:
            target.pop(key, None)
        elif kind == r.TARGET:
            target[key] = cast("Partitions", value)
        elif kind == r.MEMBER and value is None:
            if (gone := members.pop(key, None)) is not None:
                statics.pop(gone.group_instance_id, None)
        elif isinstance(value, MemberValue | CurrentValue):
            exists = True
            members[key] = members.get(key, ConsumerMember(key))._replace(**value._asdict())
            if instance := members[key].group_instance_id:
                statics[instance] = key
    if not exists:
        return None
    return before._replace(
        **fields,
        members=tuple([members[member_id] for member_id in sorted(members)]),
        target=tuple(sorted(target.items())),
        resolved=tuple(sorted(resolved.items())),
        statics=(tuple(sorted(statics.items())),) if before.statics else (),
    )

"""A coordinator that loads a partition of `__consumer_offsets`: which record it cannot take, and why.

It replays the records in their order, of groups of every type. A record that does not fit what is there
throws, and the loading ends: no group of the partition has a coordinator, and no offset of it can be read,
until the record is gone. The state here is what those exceptions depend on, and nothing else.

The rules are those of Kafka 4.4. Earlier releases refuse what 4.4 refuses, and more: `LoadRules` names it.

Source: Kafka `GroupCoordinatorShard.replay`, `GroupMetadataManager.replay` and its
`getOrMaybeCreatePersisted...Group`, `OffsetMetadataManager.replay`, `ConsumerGroup.updateMember`
(`addPartitionEpochs`, `removePartitionEpochs`), `ClassicGroup.add`; KAFKA-19862, KAFKA-20254.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from typing import Final, NamedTuple

LEAVE_EPOCH: Final = -1
NO_TARGET: Final = -1
"""The target epoch once its record is deleted, and of a group that has none yet."""


class GroupType(StrEnum):
    """The types of groups, as `Group.GroupType`."""

    CLASSIC = "classic"
    CONSUMER = "consumer"
    SHARE = "share"
    STREAMS = "streams"


def named(kind: GroupType) -> str:
    """The type in words."""
    return "Streams group" if kind is GroupType.STREAMS else f"{kind} group"


class LoadedPart(Enum):
    """What of a group a record is about."""

    OFFSET = auto()
    GROUP = auto()
    MEMBER = auto()
    TARGET_EPOCH = auto()
    TARGET = auto()
    CURRENT = auto()
    OTHER = auto()
    """Topics, a regular expression, a topology: the group is created, nothing else is checked."""


class LoadedGeneration(NamedTuple):
    """What matters of a generation: its protocol type, and each member's instance id, None if dynamic."""

    protocol_type: str
    instances: tuple[str | None, ...]


class LoadedEpoch(NamedTuple):
    """An epoch, of a group or of its target."""

    epoch: int


class LoadedMember(NamedTuple):
    """A member's epoch, and its partitions: those assigned and those that it still has to revoke."""

    epoch: int
    assigned: Collection[Hashable] = ()
    revoking: Collection[Hashable] = ()


class LoadedRecord(NamedTuple):
    """A record as the loader takes it; `value` is None for a tombstone, True if its content is not used."""

    type: GroupType
    part: LoadedPart
    group: str
    name: str
    value: LoadedGeneration | LoadedEpoch | LoadedMember | bool | None


class LoadRules(NamedTuple):
    """Rules of former releases, each stricter than today's.

    `tombstones_need_owners`: a tombstone of a consumer group or member that is not there throws.
    `epochs_expected`: so does a partition that is freed at another epoch than it is held. `simple_kept`,
    `streams_simple_kept`: a group that has offsets only is not replaced by records of a consumer group, or of
    a Streams group.
    """

    tombstones_need_owners: bool = False
    epochs_expected: bool = False
    simple_kept: bool = False
    streams_simple_kept: bool = False


TODAY: Final = LoadRules()
"""The rules of Kafka 4.4."""


@dataclass
class _Group:
    """A group as it is loaded; `simple` is a classic group without a protocol and members."""

    type: GroupType
    simple: bool = False
    members: dict[str, LoadedMember] = field(default_factory=dict)
    targets: set[str] = field(default_factory=set)
    target_epoch: int = 0
    held: dict[Hashable, int] = field(default_factory=dict)


_NEW: Final = LoadedMember(0)
_GONE: Final = LoadedMember(LEAVE_EPOCH)


class LogLoader:
    """Takes the records of a partition, one after the other; treat as useless once one did not fit."""

    def __init__(self, rules: LoadRules = TODAY) -> None:
        self.rules = rules
        self.groups: dict[str, _Group] = {}

    def take(self, record: LoadedRecord) -> str | None:
        """Why the record does not fit those before it; None if it does."""
        if record.part is LoadedPart.OFFSET:
            if record.value is not None and record.group not in self.groups:
                self.groups[record.group] = _Group(GroupType.CLASSIC, simple=True)
            return None
        if record.type is GroupType.CLASSIC:
            return self._classic(record)
        group, why = self._persisted(record)
        if group is None:
            return why
        take = _TAKES.get(record.part)
        return None if take is None else take(self, group, record)

    def _classic(self, record: LoadedRecord) -> str | None:
        """A generation replaces whatever has the name, and its tombstone removes it."""
        value = record.value
        if not isinstance(value, LoadedGeneration):
            self.groups.pop(record.group, None)
            return None
        if value.instances and not value.protocol_type:
            return "it has members and no protocol type"
        static = Counter(filter(None, value.instances))
        for instance, members in static.items():
            if members > 1:
                return f"two members have the instance id {instance}"
        self.groups[record.group] = _Group(GroupType.CLASSIC, simple=not value.protocol_type)
        return None

    def _persisted(self, record: LoadedRecord) -> tuple[_Group | None, str | None]:
        """The group of the record, created if need be; None with the reason, or where it is ignored."""
        group = self.groups.get(record.group)
        if group is None and record.value is None:
            return None, self._absent(record, "the group does not exist")
        if group is None or (group.simple and self._replaces_simple(record.type)):
            group = self.groups[record.group] = _Group(record.type)
        if group.type is not record.type:
            return None, f"the group is not a {named(record.type)} but a {named(group.type)}"
        return group, None

    def _replaces_simple(self, kind: GroupType) -> bool:
        if kind is GroupType.CONSUMER:
            return not self.rules.simple_kept
        return kind is GroupType.STREAMS and not self.rules.streams_simple_kept

    def _absent(self, record: LoadedRecord, why: str) -> str | None:
        """A tombstone of something that is not there."""
        return why if record.type is GroupType.CONSUMER and self.rules.tombstones_need_owners else None

    def _group(self, group: _Group, record: LoadedRecord) -> str | None:
        if record.value is not None:
            return None
        if group.members:
            return "the group still has members"
        if group.targets and group.type is not GroupType.STREAMS:
            return "targets still exist"
        if group.target_epoch != NO_TARGET:
            return "its target epoch still exists"
        del self.groups[record.group]
        return None

    def _target_epoch(self, group: _Group, record: LoadedRecord) -> str | None:
        if isinstance(record.value, LoadedEpoch):
            group.target_epoch = record.value.epoch
        elif group.targets:
            return "targets still exist"
        else:
            group.target_epoch = NO_TARGET
        return None

    def _target(self, group: _Group, record: LoadedRecord) -> str | None:
        if record.value is not None:
            group.targets.add(record.name)
        else:
            group.targets.discard(record.name)
        return None

    def _member(self, group: _Group, record: LoadedRecord) -> str | None:
        member = group.members.get(record.name)
        if record.value is not None:
            return self._update(group, record.name, member or _NEW)
        if member is None:
            return self._absent(record, "the member does not exist")
        if member.epoch != LEAVE_EPOCH:
            return "its assignment still exists"
        if record.name in group.targets:
            return "its target still exists"
        del group.members[record.name]
        return None

    def _current(self, group: _Group, record: LoadedRecord) -> str | None:
        member = group.members.get(record.name)
        if isinstance(record.value, LoadedMember):
            return self._update(group, record.name, record.value)
        if member is None:
            return self._absent(record, "the member does not exist")
        return self._update(group, record.name, _GONE)

    def _update(self, group: _Group, name: str, new: LoadedMember) -> str | None:
        """A member frees its partitions, except those that another has by now, and holds its new ones.

        Only a consumer group has one member a partition.
        """
        old = group.members.get(name, _NEW)
        group.members[name] = new
        if group.type is not GroupType.CONSUMER:
            return None
        for tp in (*old.assigned, *old.revoking):
            held = group.held.get(tp)
            if held == old.epoch:
                del group.held[tp]
            elif self.rules.epochs_expected:
                return f"{tp} is held at epoch {'none' if held is None else held}, not {old.epoch}"
        for part in (new.assigned, new.revoking):
            for tp in dict.fromkeys(part):
                held = group.held.get(tp)
                if held is not None and held >= new.epoch:
                    return f"{tp} is still held at epoch {held}, expected one below {new.epoch}"
                group.held[tp] = new.epoch
        return None


_TAKES: Final[Mapping[LoadedPart, Callable[[LogLoader, _Group, LoadedRecord], str | None]]] = {
    LoadedPart.GROUP: LogLoader._group,
    LoadedPart.MEMBER: LogLoader._member,
    LoadedPart.TARGET_EPOCH: LogLoader._target_epoch,
    LoadedPart.TARGET: LogLoader._target,
    LoadedPart.CURRENT: LogLoader._current,
}

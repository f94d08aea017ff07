"""Records of `__consumer_offsets` as the loader of the coordinator model takes them."""

from __future__ import annotations

from typing import Final

from kassay.model.protocols.coordinator.loader import (
    GroupType,
    LoadedEpoch,
    LoadedGeneration,
    LoadedMember,
    LoadedPart,
    LoadedRecord,
    named,
)
from kassay.reading.kafka.offsets.values import (
    ClassicGeneration,
    CurrentPartitions,
    GroupRecord,
    GroupValue,
    RecordRole,
    RecordType,
    TargetEpoch,
)

_SHARE: Final = range(RecordType.SHARE_MEMBER, RecordType.SHARE_STATE + 1)
_STREAMS: Final = range(RecordType.STREAMS_EPOCH, RecordType.STREAMS_TOPOLOGY + 1)
_PARTS: Final = {
    RecordRole.GENERATION: LoadedPart.GROUP,
    RecordRole.GROUP_EPOCH: LoadedPart.GROUP,
    RecordRole.MEMBER: LoadedPart.MEMBER,
    RecordRole.TARGET_EPOCH: LoadedPart.TARGET_EPOCH,
    RecordRole.TARGET: LoadedPart.TARGET,
    RecordRole.CURRENT: LoadedPart.CURRENT,
    RecordRole.TOPICS: LoadedPart.OTHER,
    RecordRole.REGEX: LoadedPart.OTHER,
    RecordRole.TOPOLOGY: LoadedPart.OTHER,
}


def loaded_record(record: GroupRecord) -> LoadedRecord:
    """The record with what the loading of it depends on."""
    part = _PARTS[record.type.role]
    return LoadedRecord(group_type(record.type), part, record.group, record.part, _value(record.value))


def loaded_commit(group: str) -> LoadedRecord:
    """A commit of an offset, which makes a group of its name if there is none."""
    return LoadedRecord(GroupType.CLASSIC, LoadedPart.OFFSET, group, "", True)


def group_type(kind: RecordType) -> GroupType:
    """The type of group that records of this type describe."""
    if kind is RecordType.CLASSIC_GROUP:
        return GroupType.CLASSIC
    if kind in _SHARE and kind is not RecordType.REGEX:
        return GroupType.SHARE
    return GroupType.STREAMS if kind in _STREAMS else GroupType.CONSUMER


_WORDS: Final = {
    RecordRole.GENERATION: "generation",
    RecordRole.GROUP_EPOCH: "epoch",
    RecordRole.MEMBER: "subscription",
    RecordRole.TARGET_EPOCH: "target epoch",
    RecordRole.TARGET: "target assignment",
    RecordRole.CURRENT: "current assignment",
    RecordRole.TOPICS: "topics",
    RecordRole.REGEX: "regular expression",
    RecordRole.TOPOLOGY: "topology",
}


def record_words(record: GroupRecord) -> str:
    """The record in words, such as `the tombstone of the epoch of consumer group billing`."""
    tombstone = "tombstone of the " if record.value is None else ""
    of = f" of {record.part}" if record.part else ""
    return f"the {tombstone}{_WORDS[record.type.role]}{of} in {named(group_type(record.type))} {record.group}"


def _value(value: GroupValue | None) -> LoadedGeneration | LoadedEpoch | LoadedMember | bool | None:
    if isinstance(value, ClassicGeneration):
        return LoadedGeneration(value.protocol_type, tuple(each.instance_id for each in value.members))
    if isinstance(value, CurrentPartitions):
        return LoadedMember(value.epoch, value.assigned, value.revoking)
    if isinstance(value, TargetEpoch):
        return LoadedEpoch(value.epoch)
    return None if value is None else True

"""How a new coordinator applies one record of a Streams group, after the previous ones.

Tombstones of something missing are ignored. A tombstone that precedes those it depends on ends the loading.
Source: the `replay` methods of `GroupMetadataManager` for Streams groups, and
`getOrMaybeCreatePersistedStreamsGroup`.
"""

from __future__ import annotations

from typing import Final

from kassay.model.protocols.coordinator.streams.group import find, replay
from kassay.model.protocols.values.groups import MEMBER_STABLE
from kassay.model.protocols.values.records import LogRecord
from kassay.model.protocols.values.requests import LEAVE_EPOCH
from kassay.model.protocols.values.streams import records as r
from kassay.model.protocols.values.streams.group import StreamsTaskGroup, StreamsTaskMember
from kassay.model.protocols.values.streams.records import StreamsCurrentValue
from kassay.model.protocols.values.streams.tasks import NONE_HELD

GONE: Final = StreamsCurrentValue(LEAVE_EPOCH, LEAVE_EPOCH, MEMBER_STABLE, NONE_HELD, NONE_HELD)
"""The assignment of a member once its record is deleted."""
NO_TARGET: Final = -1
"""The target epoch once its record is deleted."""


def unfit(group: StreamsTaskGroup, record: LogRecord) -> str:
    """Why a record cannot follow the previous ones; "" if it can."""
    kind, name = record.key
    if record.value is not None:
        return ""
    if kind == r.STREAMS_MEMBER and (member := find(group, str(name))) is not None:
        return _still_there(group, member)
    if kind == r.STREAMS_TARGET_EPOCH and group.target:
        return "targets still exist"
    if kind == r.STREAMS_EPOCH and group.members:
        return "the group still has members"
    if kind == r.STREAMS_EPOCH and group.target_epoch != NO_TARGET:
        return "its target epoch still exists"
    return ""


def _still_there(group: StreamsTaskGroup, member: StreamsTaskMember) -> str:
    if member.epoch != LEAVE_EPOCH:
        return "its assignment still exists"
    listed = any(name == member.member_id for name, _ in group.target)
    return "its target still exists" if listed else ""


def after_record(group: StreamsTaskGroup, record: LogRecord) -> StreamsTaskGroup | None:
    """The group after another record, which is not `unfit`; None once its last record is deleted."""
    kind, name = record.key
    if record.value is None and kind == r.STREAMS_CURRENT:
        return (
            group
            if find(group, str(name)) is None
            else replay(group, (LogRecord(record.key, GONE),), counts=True)
        )
    if record.value is None and kind == r.STREAMS_TARGET_EPOCH:
        return group._replace(target_epoch=NO_TARGET)
    if record.value is None and kind == r.STREAMS_TOPOLOGY:
        return group._replace(topology=())
    return replay(group, (record,), counts=True)

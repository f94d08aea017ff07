"""The Streams group of KIP-1071: what follows from its state, how records change it, and how it is loaded.

Recorded state changes only by records, as in a consumer group. In-memory state of a coordinator is lost
with a new coordinator, and some of it with a failed write. A new coordinator reads one record after the
other (`after_record`): tombstones of what is not there are ignored, and one that comes before those that
must go first ends the loading. Source: `StreamsGroup`, and the `replay` methods of
`GroupMetadataManager`. `getOrMaybeCreatePersistedStreamsGroup`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar

from kassay.model.protocols.values import streams_groups as r
from kassay.model.protocols.values.groups import (
    ASSIGNING,
    EMPTY,
    MEMBER_STABLE,
    RECONCILING,
    STABLE,
    ClassicGroup,
    Group,
)
from kassay.model.protocols.values.records import LogRecord
from kassay.model.protocols.values.requests import LEAVE_EPOCH, Image
from kassay.model.protocols.values.streams import NO_TASKS, NONE_HELD, StreamsTopology, TaskRoles, TaskTarget
from kassay.model.protocols.values.streams_groups import (
    NOT_READY,
    REFRESH_DUE,
    UNKNOWN_TIME,
    StreamsCurrentValue,
    StreamsEpochValue,
    StreamsMemberValue,
    StreamsTargetEpochValue,
    StreamsTaskGroup,
    StreamsTaskMember,
)
from kassay.model.streams.group import GroupTask

T = TypeVar("T")
NEW_GROUP = StreamsTaskGroup()


def group_state(group: StreamsTaskGroup) -> str:
    """Empty, NotReady (its topology is not validated), Assigning, Reconciling or Stable."""
    if not group.members:
        return EMPTY
    if not any(topology.epoch == group.validated_topology_epoch for topology in group.topology):
        return NOT_READY
    if group.epoch > group.target_epoch:
        return ASSIGNING
    settled = all(is_reconciled(member, group.target_epoch) for member in group.members)
    return STABLE if settled else RECONCILING


def is_reconciled(member: StreamsTaskMember, target_epoch: int) -> bool:
    """Whether the member has reached its target of that epoch."""
    return member.epoch == target_epoch and member.state == MEMBER_STABLE


def metadata_expired(group: StreamsTaskGroup) -> bool:
    """Whether the next heartbeat looks up the topics again."""
    return group.refreshed == REFRESH_DUE or group.epoch < group.refreshed


def find(group: StreamsTaskGroup, member_id: str) -> StreamsTaskMember | None:
    """The member with an id, or None."""
    return next((member for member in group.members if member.member_id == member_id), None)


def find_static(group: StreamsTaskGroup, instance: str) -> StreamsTaskMember | None:
    """The member with an instance id, or None."""
    return next((m for m in group.members if instance and m.group_instance_id == instance), None)


def target_of(target: TaskTarget, member_id: str) -> TaskRoles:
    """The member's target."""
    return next((tasks for name, tasks in target if name == member_id), NO_TASKS)


def existing_topics(image: Image, topology: StreamsTopology) -> Image:
    """The existing topics among those that the topology needs: the input of the metadata hash."""
    names = topology.required_topics
    return tuple(topic for topic in image if topic.name in names)


def with_entry(entries: tuple[tuple[str, T], ...], name: str, value: T) -> tuple[tuple[str, T], ...]:
    """The entries, in order, with a new value for a name."""
    return tuple(sorted((*without_entry(entries, name), (name, value)), key=_name))


def without_entry(entries: tuple[tuple[str, T], ...], name: str) -> tuple[tuple[str, T], ...]:
    """The entries without that of a name."""
    return tuple([entry for entry in entries if entry[0] != name])


def _name(entry: tuple[str, Any]) -> str:
    return entry[0]


# Records.


def epoch_record(group: StreamsTaskGroup, epoch: int) -> LogRecord:
    """The record of a new group epoch, with everything else as recorded."""
    value = StreamsEpochValue(epoch, group.validated_topology_epoch, group.topics, group.configs)
    return LogRecord((r.STREAMS_EPOCH, ""), value)


def member_record(member: StreamsTaskMember) -> LogRecord:
    """The record of a member's own metadata."""
    value = StreamsMemberValue(*(getattr(member, field) for field in StreamsMemberValue._fields))
    return LogRecord((r.STREAMS_MEMBER, member.member_id), value)


def current_record(member: StreamsTaskMember) -> LogRecord:
    """The record of a member's current tasks."""
    value = StreamsCurrentValue(*(getattr(member, field) for field in StreamsCurrentValue._fields))
    return LogRecord((r.STREAMS_CURRENT, member.member_id), value)


def target_record(member_id: str, tasks: TaskRoles) -> LogRecord:
    """The record of a member's target."""
    return LogRecord((r.STREAMS_TARGET, member_id), tasks)


def target_epoch_record(epoch: int, time: int = UNKNOWN_TIME) -> LogRecord:
    """The record of the target's epoch and of the time at which it was computed."""
    return LogRecord((r.STREAMS_TARGET_EPOCH, ""), StreamsTargetEpochValue(epoch, time))


def removal_records(member_id: str) -> tuple[LogRecord, ...]:
    """The tombstones of a member."""
    kinds = (r.STREAMS_CURRENT, r.STREAMS_TARGET, r.STREAMS_MEMBER)
    return tuple(LogRecord((kind, member_id), None) for kind in kinds)


def group_tombstones() -> tuple[LogRecord, ...]:
    """The tombstones of an empty group."""
    kinds = (r.STREAMS_TARGET_EPOCH, r.STREAMS_EPOCH, r.STREAMS_TOPOLOGY)
    return tuple(LogRecord((kind, ""), None) for kind in kinds)


def replay(group: Group, records: Iterable[LogRecord], *, counts: bool = False) -> StreamsTaskGroup | None:
    """The group after records of a Streams group; replaces a group of any other kind.

    The order of keys does not matter, and a tombstone of something missing changes nothing. None if nothing
    is left of the group. With `counts`, it also counts the process of each active task; if records are
    missing, the counts may differ from the members' final tasks.
    """
    draft = _Draft(group if isinstance(group, StreamsTaskGroup) else None, counts=counts)
    for (kind, name), value in records:
        if kind in r.STREAMS_KINDS:
            draft.take(kind, str(name), value)
    return draft.group()


class _Draft:
    """A group during the replay of its records."""

    def __init__(self, before: StreamsTaskGroup | None, *, counts: bool = False) -> None:
        self.before = before or NEW_GROUP
        self.actives: dict[GroupTask, str] | None = None
        if counts or self.before.counted:
            self.actives = active_processes(self.before)
        self.exists = before is not None
        self.fields: dict[str, Any] = {}
        self.members = {member.member_id: member for member in self.before.members}
        self.target = dict(self.before.target)
        self.copies = {task: {*processes} for task, processes in self.before.copies}
        self.touched: set[str] = set()
        self.removed: set[str] = set()
        self.emptied = False

    def take(self, kind: str, name: str, value: Any) -> None:
        """Apply one more record."""
        if value is None:
            self._tombstone(kind, name)
            return
        self.exists = True
        if kind == r.STREAMS_EPOCH:
            self.fields |= value._asdict()
        elif kind == r.STREAMS_TARGET_EPOCH:
            self.fields |= {"target_epoch": value.epoch, "target_time": value.time}
        elif kind == r.STREAMS_TOPOLOGY:
            self.fields["topology"] = (value,)
        elif kind == r.STREAMS_TARGET:
            self.target[name] = value
        else:
            known = self.members.get(name) or StreamsTaskMember(name)
            self.members[name] = updated = known._replace(**value._asdict())
            self.touched.add(name)
            self._count(known, updated)

    def _tombstone(self, kind: str, name: str) -> None:
        if kind == r.STREAMS_TARGET:
            self.target.pop(name, None)
        elif kind == r.STREAMS_CURRENT and name in self.members:
            known = self.members[name]
            self.members[name] = updated = known._replace(assigned=NONE_HELD, pending=NONE_HELD)
            self._count(known, updated)
        elif kind == r.STREAMS_MEMBER and name in self.members:
            self._count(self.members.pop(name), None)
            self.touched.add(name)
            self.removed.add(name)
            self.emptied |= not self.members
        elif kind == r.STREAMS_EPOCH:
            self.exists = False

    def _count(self, before: StreamsTaskMember, after: StreamsTaskMember | None) -> None:
        """Remove the member's previous tasks from its process and add its current ones."""
        self._count_copies(before, after)
        if self.actives is None:
            return
        # Revoking a task that another thread of the process was assigned removes it from the count.
        for task in (*before.assigned.active, *before.pending.active):
            if self.actives.get(task) == before.process_id:
                del self.actives[task]
        if after is not None and after.process_id:
            self.actives |= dict.fromkeys((*after.assigned.active, *after.pending.active), after.process_id)

    def _count_copies(self, before: StreamsTaskMember, after: StreamsTaskMember | None) -> None:
        """The same for copies."""
        for task in (*before.assigned.standby, *before.pending.standby):
            self.copies.setdefault(task, set()).discard(before.process_id)
        if after is not None:
            for task in (*after.assigned.standby, *after.pending.standby):
                self.copies.setdefault(task, set()).add(after.process_id)

    def group(self) -> StreamsTaskGroup | None:
        """The resulting group; a changed member keeps its cached results."""
        if not self.exists:
            return None
        before = self.before
        endpoints, offsets = before.endpoints, before.task_offsets
        if endpoints:
            endpoints = tuple(entry for entry in endpoints if entry[0] not in self.touched)
        if self.removed and offsets:
            offsets = tuple(entry for entry in offsets if entry[0] not in self.removed)
        after = before._replace(
            **self.fields,
            members=tuple([self.members[name] for name in sorted(self.members)]),
            target=tuple([(name, self.target[name]) for name in sorted(self.target)]),
            endpoints=endpoints,
            task_offsets=offsets,
            copies=tuple([(task, tuple(sorted(self.copies[task]))) for task in sorted(self.copies)]),
            shutdown_by="" if self.emptied else before.shutdown_by,
            counted=(),
        )
        if self.actives is None or self.actives == active_processes(after):
            return after
        return after._replace(counted=(tuple(sorted(self.actives.items())),))


def active_processes(group: StreamsTaskGroup) -> dict[GroupTask, str]:
    """The process that counts as having each active task, including tasks to be revoked."""
    if group.counted:
        return dict(group.counted[0])
    return {
        task: member.process_id
        for member in group.members
        if member.process_id
        for task in (*member.assigned.active, *member.pending.active)
    }


def written(group: StreamsTaskGroup) -> StreamsTaskGroup:
    """The group after an append: a later failed write does not undo its current memory."""
    if group.remembered == group.remembered_at_append:
        return group
    return group._replace(remembered_at_append=group.remembered)


def taken_back(before: Group, after: StreamsTaskGroup | None) -> Group:
    """The group after a failed write: records as `before`, surviving in-memory state from `after`.

    A group that did not exist or was of another kind is restored. Kafka restores which tasks have copies, but
    not in which processes: those sets are not part of its snapshots.
    """
    if not isinstance(before, StreamsTaskGroup) or after is None:
        return before
    counted = {task for task, _ in before.copies}
    return before._replace(
        remembered=before.remembered_at_append,
        refreshed=after.refreshed,
        delayed=after.delayed,
        shutdown_by=after.shutdown_by,
        endpoint_epoch=after.endpoint_epoch,
        endpoints=after.endpoints,
        task_offsets=after.task_offsets,
        copies=tuple(entry for entry in after.copies if entry[0] in counted),
    )


def replaceable(group: Group) -> bool:
    """Whether a Streams group may replace this: there is no group, or an empty classic one."""
    return group is None or (isinstance(group, ClassicGroup) and group.state == EMPTY)


GONE: Final = StreamsCurrentValue(LEAVE_EPOCH, LEAVE_EPOCH, MEMBER_STABLE, NONE_HELD, NONE_HELD)
"""The assignment of a member once its record is deleted."""
NO_TARGET: Final = -1
"""The target epoch once its record is deleted."""


def after_record(group: StreamsTaskGroup, record: LogRecord) -> StreamsTaskGroup | None:
    """The group after another record, which fits it; None once its last record is deleted."""
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

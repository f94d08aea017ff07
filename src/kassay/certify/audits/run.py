"""An audit of files: each record read once, in the order of its partition, into the history of its group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kassay.certify.audits.classic import ClassicHistory
from kassay.certify.audits.consumer import ConsumerHistory
from kassay.certify.audits.continuity import LogContinuity
from kassay.certify.audits.topics import KnownTopics
from kassay.certify.audits.values import AuditedRebalance, GroupAudit, LogAudit, LogMoment
from kassay.model.errors import InputError
from kassay.reading.kafka.offsets.dump import CONTROL, LogBatch, LogRow, LogSegment, LogStart
from kassay.reading.kafka.offsets.records import OFFSET_COMMITS, SHARE, STREAMS
from kassay.reading.kafka.offsets.sources import LogFile, read_log
from kassay.reading.kafka.offsets.values import ClassicGeneration, GroupRecord, RecordType

_UNREAD_SHOWN = 5
_NOT_JUDGED = ("share groups", "Streams groups")
_TOLD_EVERY = 100_000


@dataclass
class _Partition:
    """A partition of `__consumer_offsets`: the groups that are in it, and what of it is missing."""

    log: LogContinuity = field(default_factory=LogContinuity)
    classic: dict[str, ClassicHistory] = field(default_factory=dict)
    consumer: dict[str, ConsumerHistory] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)


@dataclass
class LogReader:
    """Takes records in, group by group.

    `only` keeps to one group, `since` (milliseconds) leaves out what was before, though it is read.
    """

    known: KnownTopics
    only: str | None = None
    since: int | None = None
    partitions: dict[str, _Partition] = field(default_factory=dict)
    records: Counter[str] = field(default_factory=Counter)
    unread: list[str] = field(default_factory=list)

    def read(self, file: LogFile, tell: Callable[[int], None]) -> None:
        """Take in what the file holds; raises `InputError` where that cannot be read on."""
        name = "" if not file.of_console else f"console {file.path}"
        partition = self.partitions.setdefault(name, _Partition())
        for number, item in enumerate(read_log(file)):
            if isinstance(item, LogRow):
                self._row(partition, item)
            elif isinstance(item, LogBatch):
                self._end_batch(partition)
            elif isinstance(item, LogStart):
                partition.log.start(item.offset)
            elif isinstance(item, LogSegment):
                self._end_batch(partition)
                partition = self.partitions.setdefault(item.partition, _Partition())
            if number % _TOLD_EVERY == 0:
                tell(self.records.total())
        self._end_batch(partition)

    def finish(self) -> LogAudit:
        """What was found, and what of it means less."""
        for partition in self.partitions.values():
            for history in partition.consumer.values():
                self._add(history.audit, history.finish(partition.log))
        groups: list[GroupAudit] = []
        for partition in self.partitions.values():
            groups += [history.audit for history in partition.classic.values()]
            groups += [history.audit for history in partition.consumer.values()]
        for group in groups:
            group.findings = [each for each in group.findings if self._is_wanted(each.moment)]
        shown = (each for each in groups if each.rebalances or each.findings or each.gaps)
        ordered = sorted(shown, key=lambda each: (each.name, each.protocol))
        return LogAudit(tuple(ordered), dict(self.records), tuple(self.unread), tuple(self._notes()))

    def _row(self, partition: _Partition, row: LogRow) -> None:
        partition.log.take(row)
        self.records[_sort(row)] += 1
        if row.unread is not None and len(self.unread) < _UNREAD_SHOWN:
            self.unread.append(f"{row.place}: {row.unread}")
        record = row.record
        if record is None or self.only not in (None, record.group):
            return
        moment = LogMoment(row.place, row.offset, row.timestamp)
        if record.type is RecordType.CLASSIC_GROUP:
            self._classic(partition, record, moment)
        else:
            history = partition.consumer.get(record.group)
            if history is None:
                history = partition.consumer[record.group] = ConsumerHistory.of(record.group, self.known)
                history.migrated = record.group in partition.classic and partition.log.is_whole
                history.members_before = () if partition.log.is_whole else None
            partition.touched.add(record.group)
            self._add(history.audit, history.take(record, moment, partition.log))

    def _classic(self, partition: _Partition, record: GroupRecord, moment: LogMoment) -> None:
        history = partition.classic.get(record.group)
        if history is None:
            history = partition.classic[record.group] = ClassicHistory.of(record.group, self.known)
            history.migrated = record.group in partition.consumer
        consumer = partition.consumer.get(record.group)
        if isinstance(record.value, ClassicGeneration):
            if moment.timestamp is None:
                moment = moment._replace(timestamp=record.value.since)
            self._add(history.audit, history.take(record.value, moment, partition.log))
        else:
            history.forget()
            if consumer is not None:
                consumer.migrated = partition.log.is_whole

    def _end_batch(self, partition: _Partition) -> None:
        for group in partition.touched:
            partition.consumer[group].end_batch(partition.log)
        partition.touched.clear()

    def _add(self, audit: GroupAudit, rebalance: AuditedRebalance | None) -> None:
        if rebalance is None:
            return
        if self._is_wanted(rebalance.moment):
            audit.add(rebalance)

    def _is_wanted(self, moment: LogMoment) -> bool:
        """Whether it was not before `since`; what has no time is taken in."""
        return self.since is None or moment.timestamp is None or moment.timestamp >= self.since

    def _notes(self) -> list[str]:
        notes = []
        for name, partition in self.partitions.items():
            where = name or "the log"
            if partition.log.begins_late:
                notes.append(f"{where}: begins at a later offset than 0: the segments before it are not here")
            if partition.log.is_torn:
                notes.append(
                    f"{where}: offsets are missing where the log is not compacted: is a segment missing?"
                )
        left = [f"{self.records[sort]:,} of {sort}" for sort in _NOT_JUDGED if self.records[sort]]
        if left:
            notes.append(f"records that were read and not judged: {', '.join(left)}")
        if self.records["unread"]:
            notes.append(f"{self.records['unread']} records could not be read")
        return notes


def audit_log(
    files: Sequence[LogFile],
    known: KnownTopics,
    *,
    only: str | None = None,
    since: int | None = None,
    tell: Callable[[int], None] = lambda _: None,
) -> LogAudit:
    """What the files hold of groups, judged; `tell` is called with how many records were read.

    Raises `InputError` for a file that cannot be read on, and where `only` names a group that is not there.
    """
    reader = LogReader(known, only, since)
    for file in files:
        reader.read(file, tell)
    audit = reader.finish()
    if only is not None and not any(group.name == only for group in audit.groups):
        raise InputError(f"--group {only!r}: no such group in the log, or no rebalance of it")
    return audit


def _sort(row: LogRow) -> str:
    """The word under which the record is counted."""
    if row.unread is not None:
        return "unread"
    if row.type in OFFSET_COMMITS:
        return "offset commits"
    if row.record is not None:
        return "classic groups" if row.record.type is RecordType.CLASSIC_GROUP else "consumer groups"
    if row.type in SHARE:
        return "share groups"
    if row.type in STREAMS:
        return "Streams groups"
    return "transactions' ends" if row.type == CONTROL else "others"

"""An audit of files: reads each record once, in the order of its partition, into its group's history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kassay.engines.audits.continuity import LogContinuity
from kassay.engines.audits.histories.classic import ClassicHistory
from kassay.engines.audits.histories.consumer import ConsumerHistory, ShareHistory
from kassay.engines.audits.histories.streams import StreamsHistory
from kassay.engines.audits.histories.targets import TargetHistory
from kassay.engines.audits.readers import CommitTimes, PartitionReaders
from kassay.engines.audits.topics import KnownTopics
from kassay.engines.audits.values import (
    AuditedRebalance,
    GroupAudit,
    GroupProtocol,
    LoadFailure,
    LogAudit,
    LogMoment,
)
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator.loader import LogLoader
from kassay.reading.kafka.offsets.fields import CLASSIC, COMMITS, CONSUMERS, SHARES, STREAMS_GROUPS, unused
from kassay.reading.kafka.offsets.loading import loaded_commit, loaded_record, record_words
from kassay.reading.kafka.offsets.records import OFFSET_COMMITS, SHARE, STREAMS
from kassay.reading.kafka.offsets.sources import (
    CONSOLE_TOOL,
    CONTROL,
    DUMP_TOOL,
    LogBatch,
    LogFile,
    LogItem,
    LogRow,
    LogSegment,
    LogStart,
    read_log,
)
from kassay.reading.kafka.offsets.values import ClassicGeneration, GroupRecord, RecordType

_UNREAD_SHOWN = 5
_PROTOCOLS: Final[Mapping[str, type[TargetHistory]]] = {
    CONSUMERS: ConsumerHistory,
    SHARES: ShareHistory,
    STREAMS_GROUPS: StreamsHistory,
}
_OF_COMMITS: Final = frozenset({"offset", "leaderEpoch", "metadata", "commitTimestamp"})
"""The fields of a commit, millions of which are not parsed."""
_TOLD_EVERY = 10_000
_CONSOLE: Final = "console "
_OF_CONSOLE: Final = (
    "GroupMetadataMessageFormatter prints classic groups only, no commits (how long partitions had no reader "
    "is not known), and no offsets (a lost record looks like a rebalance that restarted). That of Kafka 3.9 "
    "and earlier ends at the first record of a consumer group. kafka-dump-log --offsets-decoder has all of it"
)
_OF_RELEASES: Final = {
    GroupProtocol.SHARE: "share groups are checked by what the assignor of Kafka 4.2 and later claims",
    GroupProtocol.STREAMS: "Streams groups are checked by what the assignor of Kafka 4.4 claims",
}


@dataclass
class _Partition:
    """A partition of `__consumer_offsets`: its groups, and what is missing from it."""

    log: LogContinuity = field(default_factory=LogContinuity)
    classic: dict[str, ClassicHistory] = field(default_factory=dict)
    decided: dict[str, TargetHistory] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    ended: list[TargetHistory] = field(default_factory=list)
    commits: CommitTimes = field(default_factory=CommitTimes)
    loader: LogLoader = field(default_factory=LogLoader)
    unloadable: LoadFailure | None = None
    readers: dict[str, PartitionReaders] = field(default_factory=dict)

    def readers_of(self, group: str) -> PartitionReaders:
        """Who reads the partitions of the group, in whatever protocol it speaks."""
        return self.readers.setdefault(group, PartitionReaders(group, self.commits))


@dataclass
class LogReader:
    """Collects records by group.

    `only` restricts it to one group; `since` (milliseconds) excludes earlier results, though the records are
    read.
    """

    known: KnownTopics
    only: str | None = None
    since: int | None = None
    partitions: dict[str, _Partition] = field(default_factory=dict)
    records: Counter[str] = field(default_factory=Counter)
    unread: list[str] = field(default_factory=list)
    fields: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names = dict(self.known.names)
        self.known = KnownTopics(self.known.counts, self._names)

    def read(self, file: LogFile, tell: Callable[[int], object]) -> None:
        """Read the records of a file; raises `InputError` if it cannot be read further."""
        name = "" if not file.of_console else f"{_CONSOLE}{file.path}"
        partition = self.partitions.setdefault(name, _Partition())
        expected: int | None = None
        rows, last = 0, None
        for number, item in enumerate(read_log(file)):
            last = item
            if isinstance(item, LogRow):
                rows += 1
                self._row(partition, item)
            elif isinstance(item, LogBatch):
                expected, rows = item.size, 0
                self._end_batch(partition)
            elif isinstance(item, LogStart):
                partition.log.start(item.offset)
            elif isinstance(item, LogSegment):
                self._end_batch(partition)
                partition = self.partitions.setdefault(item.partition, _Partition())
            if number % _TOLD_EVERY == 0:
                tell(self.records.total())
        self._end_batch(partition)
        _check_end(file, last, rows, expected)

    def finish(self) -> LogAudit:
        """The result, with what limits its meaning."""
        groups: dict[int, GroupAudit] = {}
        for partition in self.partitions.values():
            for classic in partition.classic.values():
                classic.finish()
                classic.audit.notes += classic.notes()
            for history in (*partition.ended, *partition.decided.values()):
                self._add(history.audit, history.finish(partition.log))
                history.audit.notes += history.notes()
            every: tuple[ClassicHistory | TargetHistory, ...]
            every = (*partition.classic.values(), *partition.ended, *partition.decided.values())
            groups |= {id(each.audit): each.audit for each in every}
        for group in groups.values():
            group.findings = [each for each in group.findings if self._is_wanted(each.moment)]
            group.without_reader = [each for each in group.without_reader if self._is_wanted(each.moment)]
            group.lost = [each for each in group.lost if self._is_wanted(each[0])]
        shown = (each for each in groups.values() if each.rebalances or each.findings or each.gaps)
        ordered = sorted(shown, key=lambda each: (each.name, each.protocol))
        return LogAudit(
            tuple(ordered),
            dict(self.records),
            tuple(self.unread),
            tuple(self._notes()),
            tuple(
                partition.unloadable
                for partition in self.partitions.values()
                if partition.unloadable is not None and partition.log.is_all_there
            ),
            unused(self.fields),
        )

    def _row(self, partition: _Partition, row: LogRow) -> None:
        partition.log.take(row)
        self.records[_sort(row)] += 1
        if row.unread is not None and len(self.unread) < _UNREAD_SHOWN:
            self.unread.append(f"{row.place}: {row.unread}")
        if row.commit is not None:
            self.fields.setdefault(COMMITS, {*_OF_COMMITS})
            self._commit(partition, row.commit, row)
        record = row.record
        if record is not None:
            self.fields.setdefault(_family(record.type), set()).update(record.fields)
        if record is not None and partition.unloadable is None:
            why = partition.loader.take(loaded_record(record))
            if why is not None:
                moment = LogMoment(row.place, row.offset, row.timestamp)
                partition.unloadable = LoadFailure(record.group, record_words(record), why, moment)
        if record is None or self.only not in (None, record.group):
            return
        moment = LogMoment(row.place, row.offset, row.timestamp)
        if record.type is RecordType.CLASSIC_GROUP:
            self._classic(partition, record, moment)
        else:
            history = self._history(partition, record)
            partition.touched.add(record.group)
            self._add(history.audit, history.take(record, moment, partition.log))

    def _commit(self, partition: _Partition, key: bytes, row: LogRow) -> None:
        """A reader of a partition is alive; the commit may also say what a topic id is called."""
        named = partition.commits.take(key, row.timestamp if row.timestamp is not None else 0)
        if named is None:
            return
        if row.topic_id is not None:
            self._names.setdefault(row.topic_id, named.tp.topic)
        if partition.unloadable is None and named.group not in partition.loader.groups:
            partition.loader.take(loaded_commit(named.group))

    def _history(self, partition: _Partition, record: GroupRecord) -> TargetHistory:
        """The history of the record's group; a former history of the name with another protocol ends."""
        speaks = _PROTOCOLS[_family(record.type)]
        history = partition.decided.get(record.group)
        if history is None or not isinstance(history, speaks):
            if history is not None:
                partition.ended.append(history)
            history = partition.decided[record.group] = speaks.of(record.group, self.known)
            history.fresh = partition.log.is_whole
            history.readers = partition.readers_of(record.group)
            if isinstance(history, StreamsHistory):
                history.readers = PartitionReaders(record.group, partition.commits, history.sources)
            history.members_before = () if partition.log.is_whole else None
        if isinstance(history, ConsumerHistory) and record.value is not None:
            self._take_over(partition, history, record.group)
        return history

    def _take_over(self, partition: _Partition, history: ConsumerHistory, group: str) -> None:
        """A consumer group that was a classic one continues its audit, and with its members."""
        classic = partition.classic.get(group)
        if classic is None:
            return
        if history.audit is classic.audit and history.audit.protocol is history.protocol:
            return
        classic.audit.speaks(history.protocol)
        history.audit, history.homes = classic.audit, classic.homes
        history.migrated = partition.log.is_whole and bool(classic.left_behind)
        history.taken_over |= {each.member_id for each in classic.left_behind}

    def _classic(self, partition: _Partition, record: GroupRecord, moment: LogMoment) -> None:
        history = partition.classic.get(record.group)
        if history is None:
            history = partition.classic[record.group] = ClassicHistory.of(record.group, self.known)
            history.readers = partition.readers_of(record.group)
        consumer = partition.decided.get(record.group)
        if not isinstance(record.value, ClassicGeneration):
            history.forget()
            return
        if isinstance(consumer, ConsumerHistory) and history.audit.protocol is not GroupProtocol.CLASSIC:
            history.migrated = True
        elif isinstance(consumer, ConsumerHistory) and history.audit is not consumer.audit:
            history.audit, history.homes, history.migrated = consumer.audit, consumer.homes, True
        history.audit.speaks(GroupProtocol.CLASSIC)
        if moment.timestamp is None:
            moment = moment._replace(timestamp=record.value.since)
        self._add(history.audit, history.take(record.value, moment, partition.log))

    def _end_batch(self, partition: _Partition) -> None:
        for group in partition.touched:
            partition.decided[group].end_batch(partition.log)
        partition.touched.clear()

    def _add(self, audit: GroupAudit, rebalance: AuditedRebalance | None) -> None:
        if rebalance is None:
            return
        if self._is_wanted(rebalance.moment):
            audit.add(rebalance)

    def _is_wanted(self, moment: LogMoment) -> bool:
        """Whether the moment is not before `since`; moments without a time are included."""
        return self.since is None or moment.timestamp is None or moment.timestamp >= self.since

    def _notes(self) -> list[str]:
        notes = []
        for name, partition in self.partitions.items():
            if name.startswith(_CONSOLE):
                notes.append(f"{name.removeprefix(_CONSOLE)}: {_OF_CONSOLE}")
            where = name or "the log"
            if partition.unloadable is not None and not partition.log.is_all_there:
                failed = partition.unloadable
                notes.append(
                    f"{where}: {failed.record} at offset {failed.moment.offset} does not fit the records "
                    "before it, of which some are not here: whether a broker can load the log is not checked"
                )
            if partition.log.begins_late:
                notes.append(f"{where}: begins at a later offset than 0: the segments before it are not here")
            gap = partition.log.first_gap
            if gap is not None and partition.log.has_single_gap and not partition.log.is_torn:
                first, last = gap
                missing = f"offset {first} is" if first == last else f"offsets {first} to {last} are"
                notes.append(f"{where}: {missing} missing: what depends on lost records is not checked")
            if partition.log.is_torn:
                notes.append(
                    f"{where}: offsets are missing where the log is not compacted: is a segment missing?"
                )
        judged = {
            history.protocol
            for each in self.partitions.values()
            for history in each.decided.values()
            if history.audit.judged
        }
        notes += [
            f"{said}: the log names no release" for each, said in _OF_RELEASES.items() if each in judged
        ]
        if self.records["unread"]:
            notes.append(f"{self.records['unread']} records could not be read")
        return notes


def _check_end(file: LogFile, last: LogItem | None, rows: int, expected: int | None) -> None:
    """Raise `InputError` for output that ends in the middle of a record, or of a batch."""
    tool = CONSOLE_TOOL if file.of_console else DUMP_TOOL
    inside = ""
    if isinstance(last, LogRow):
        cut = last.unread is not None and (file.of_console or "cut off" in last.unread)
        if cut:
            inside = "a record"
        elif expected is not None and rows < expected:
            inside = f"a batch, after {rows} of its {expected} records"
    elif isinstance(last, LogBatch) and last.size != 0 and not file.of_console:
        inside = "a batch, before its records"
    if inside:
        place = f"{last.place}" if isinstance(last, LogRow) else file.path
        raise InputError(
            f"{place}: the file is cut: the output of {tool} ends in the middle of {inside}, expected all"
        )


def audit_log(
    files: Sequence[LogFile],
    known: KnownTopics,
    *,
    only: str | None = None,
    since: int | None = None,
    tell: Callable[[int], object] = lambda _: None,
) -> LogAudit:
    """The groups of the files, checked; `tell` is called with the number of records read.

    Raises `InputError` if a file cannot be read further, or if `only` names a missing group.
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
        return COMMITS
    if row.type == CONTROL:
        return "transactions' ends"
    if row.record is None and row.type not in SHARE | STREAMS:
        return "others"
    return _family(row.type)


def _family(number: int) -> str:
    """The kind of group that records of this type describe."""
    if number == RecordType.CLASSIC_GROUP:
        return CLASSIC
    if number in SHARE:
        return SHARES
    return STREAMS_GROUPS if number in STREAMS else CONSUMERS

"""A cluster put together from the outputs of Kafka's tools.

Files are identified by their content: the order of files does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from kassay.engines.replicas.cluster import PlacedCluster, Rows, listed, named
from kassay.engines.replicas.states import (
    States,
    answering,
    idle_brokers,
    not_preferred,
    state_warnings,
    states_of,
)
from kassay.engines.replicas.unused import not_used
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.request import Replicas
from kassay.reading.documents import read_pasted
from kassay.reading.kafka.brokers import (
    LogDirs,
    is_broker_versions,
    is_brokers,
    is_log_dirs,
    read_brokers,
    read_log_dirs,
)
from kassay.reading.kafka.dialects import RPK_TOPIC, in_todays_words
from kassay.reading.kafka.lines import failure_in
from kassay.reading.kafka.reassignment import (
    EXPECTED,
    PROPOSED,
    Reassignment,
    TopicsToMove,
    is_executed,
    is_reassignment,
    read_current,
    read_reassignments,
)
from kassay.reading.kafka.topics import DescribedTopic, is_topics, read_topics, whole_topics
from kassay.reading.others import what_is

ABSENT: Final = (
    "to plan without one that is gone: --remove-broker N; with one that is only down: --add-broker N:rack"
)
"""What a plan needs for a broker that holds replicas and does not answer."""


@dataclass
class ClusterSources:
    """The partial descriptions of a cluster from files; `cluster` combines them.

    `cleaned` says of each file what was added to it as pasted, and is removed; `notes` what brokers did not
    answer.
    """

    topics: list[DescribedTopic] = field(default_factory=list)
    current: list[Reassignment] = field(default_factory=list)
    brokers: dict[int, tuple[Broker, str]] = field(default_factory=dict)
    log_dirs: list[LogDirs] = field(default_factory=list)
    has_hosts: bool = False
    files: list[str] = field(default_factory=list)
    cleaned: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def read(self, path: str, expected: str) -> str:
        """The text of a file, without what a shell or a chat added, which is noted; raises `InputError`."""
        clean = read_pasted(path, expected)
        self.files.append(path)
        if clean.is_nothing_else:
            raise InputError(f"{path}: has only {', '.join(clean.removed)}, expected {expected}")
        self.cleaned += clean.note(path)
        text, tool = in_todays_words(clean.text)
        if tool == RPK_TOPIC:
            raise InputError(
                f"{path}: {RPK_TOPIC} prints replicas sorted, and not which are in sync, so preferred "
                "leaders are not known: expected the output of kafka-topics.sh --describe or of kcat -L"
            )
        return text

    def add_brokers(self, brokers: Iterable[Broker], file: str) -> None:
        """Add the brokers of a file; raises `InputError` if another file has a different rack for one."""
        for broker in brokers:
            before = self.brokers.get(broker.broker_id)
            if before is not None and before[0].rack != broker.rack:
                raise InputError(
                    f"{file}: broker {broker.broker_id}: found rack {broker.rack!r}, expected "
                    f"{before[0].rack!r} as in {before[1]}"
                )
            self.brokers[broker.broker_id] = (broker, file)

    def cluster(
        self,
        added: frozenset[int] = frozenset(),
        leaving: frozenset[int] = frozenset(),
        *,
        judged: bool = False,
    ) -> PlacedCluster:
        """The cluster; a broker in `leaving` may already be gone and missing from the description.

        Raises `InputError` if no file has the replicas, if partitions are missing, or if a broker that holds
        replicas is not described, unless the cluster is only to be `judged`.
        """
        rows, moving = self._rows()
        if not rows:
            read = ", ".join(dict.fromkeys(self.files)) or "FILE"
            raise InputError(
                f"{read}: nothing says where replicas are, expected the output of kafka-topics.sh --describe "
                "or of kafka-reassign-partitions.sh as well"
            )
        holding = {broker for row in rows.values() for broker in row}
        brokers = {id_: broker for id_, (broker, _) in self.brokers.items()}
        warnings = list(self.notes)
        if not brokers:
            brokers = {id_: Broker(id_) for id_ in holding - added}
            warnings.append(
                "no racks were given: rack rules are not judged, and brokers without replicas are not known; "
                "add a FILE with the output of kafka-broker-api-versions.sh"
            )
        gone = frozenset((holding if judged else holding & leaving) - brokers.keys())
        missing = holding - brokers.keys() - added - gone
        if missing:
            raise InputError(
                f"brokers: {listed(missing)} not described, expected every broker that holds replicas "
                f"({ABSENT})"
            )
        if moving:
            warnings.append(
                f"{len(moving)} partition{'s are' if len(moving) > 1 else ' is'} being reassigned "
                f"({named(moving)}): planned from where they are going; run the plan when they are there"
            )
        sizes = self._sizes(rows, warnings)
        states = states_of(self.topics)
        undescribed = frozenset(holding - brokers.keys())
        warnings += self._state_warnings(rows, states, undescribed, judged=judged)
        warnings += answering(states, undescribed.union(key for key, each in brokers.items() if each.fenced))
        cordoned = frozenset[int]().union(*(each.cordoned for each in self.log_dirs))
        return PlacedCluster(
            tuple(sorted(brokers.values())),
            rows,
            sizes,
            moving,
            cordoned,
            gone,
            tuple(warnings),
            tuple(self.log_dirs),
            frozenset(holding - brokers.keys()),
            states,
            unused=not_used(self.topics, has_hosts=self.has_hosts),
            cleaned=tuple(self.cleaned),
            directories=self._directories(),
            pinned=frozenset(tp for tp, row in rows.items() if judged and not gone.isdisjoint(row)),
        )

    def _directories(self) -> dict[tuple[TopicPartition, int], str]:
        """The log directories that reassignments name for replicas."""
        entries = [entry for each in self.current for entry in each.partitions if entry.log_dirs is not None]
        return {
            (entry.partition, broker): directory
            for entry in entries
            for broker, directory in zip(entry.replicas, entry.log_dirs or (), strict=False)
            if directory.startswith("/")
        }

    def _state_warnings(
        self, rows: Rows, states: States, undescribed: frozenset[int], *, judged: bool
    ) -> Iterator[str]:
        if undescribed:
            do = f"; {ABSENT}" if judged else ""
            verb, racks = ("does", "its rack is") if len(undescribed) == 1 else ("do", "their racks are")
            yield f"{listed(undescribed)} not among the brokers: {verb} not answer, {racks} not known{do}"
        idle = idle_brokers(states) - undescribed
        if idle:
            one = len(idle) == 1
            yield (
                f"{listed(idle)} {'leads' if one else 'lead'} nothing and {'is' if one else 'are'} in sync "
                f"with no leader: taken as not answering, {'gets' if one else 'get'} no replica"
            )
        for current in self.current:
            which = f", of which the block {current.title!r} is taken" if current.title else ""
            yield (
                f"{current.place.file} is JSON of kafka-reassign-partitions.sh{which}: leaders and replicas "
                "in sync are not known; kafka-topics.sh --describe says them"
            )
        yield from _log_dir_warnings(self.log_dirs)
        yield from state_warnings(self.topics, states)
        others = not_preferred(rows, states)
        if others:
            yield (
                f"{len(others)} partition{'s are' if len(others) > 1 else ' is'} not led by the preferred "
                f"leader ({named(others)}): kafka-leader-election.sh --election-type PREFERRED changes that"
            )

    def _rows(self) -> tuple[dict[TopicPartition, Replicas], frozenset[TopicPartition]]:
        rows: dict[TopicPartition, Replicas] = {}
        moving = set()
        for topic in whole_topics(self.topics):
            for row in topic.partitions:
                if row.partition in rows:
                    raise row.place.wrong("Partition", str(row.partition), "each once in all files")
                if not row.target:
                    raise row.place.wrong("Removing Replicas", row.removing, "a replica that stays")
                rows[row.partition] = row.target
                if row.is_moving:
                    moving.add(row.partition)
        for reassignment in self.current:
            for entry in reassignment.partitions:
                if entry.partition in rows:
                    raise entry.place.wrong(entry.path, str(entry.partition), "each once in all files")
                if not entry.replicas or len(set(entry.replicas)) < len(entry.replicas):
                    raise entry.place.wrong(f"{entry.path}.replicas", entry.replicas, "brokers, each once")
                if min(entry.replicas) < 0 or entry.partition.partition < 0:
                    raise entry.place.wrong(entry.path, str(entry.partition), "numbers from 0 on")
                rows[entry.partition] = entry.replicas
        return dict(sorted(rows.items())), frozenset(moving)

    def _sizes(self, rows: Rows, warnings: list[str]) -> dict[TopicPartition, int] | None:
        if not self.log_dirs:
            return None
        sizes: dict[TopicPartition, int] = {}
        for each in self.log_dirs:
            for tp, size in each.sizes.items():
                sizes[tp] = max(size, sizes.get(tp, 0))
            for broker, directory, error in each.offline:
                warnings.append(f"broker {broker}: log directory {directory} is offline ({error})")
        unknown = [tp for tp in rows if tp not in sizes]
        if unknown:
            warnings.append(
                f"no size of {len(unknown)} partitions ({named(unknown)}): not in the sums of bytes"
            )
        return sizes


def _log_dir_warnings(outputs: Iterable[LogDirs]) -> Iterator[str]:
    """Replicas that lag, and copies between directories of one broker."""
    replicas = [
        (replica, broker.broker)
        for each in outputs
        for broker in each.brokers
        for directory in broker.logDirs
        for replica in directory.partitions
    ]
    future = [f"{replica.partition} on {broker}" for replica, broker in replicas if replica.isFuture]
    if future:
        yield f"being moved to another log directory: {_some(future)}: wait until that is done"
    behind = [f"{replica.partition} on {broker}" for replica, broker in replicas if replica.offsetLag > 0]
    if behind:
        yield f"behind their leaders (offsetLag): {_some(behind)}"


def _some(names: list[str], shown: int = 4) -> str:
    return ", ".join(names[:shown]) + (f" and {len(names) - shown} more" if len(names) > shown else "")


_EXPECTED = (
    "the output of kafka-topics.sh --describe, kafka-broker-api-versions.sh, kafka-log-dirs.sh or "
    "kafka-reassign-partitions.sh"
)


def take_file(sources: ClusterSources, path: str) -> None:
    """Add a file's content, whichever tool printed it; raises `InputError`."""
    text = sources.read(path, _EXPECTED)
    if is_topics(text):
        sources.topics += read_topics(text, path)
    elif is_brokers(text):
        sources.add_brokers(read_brokers(text, path), path)
        sources.has_hosts |= is_broker_versions(text)
    elif is_log_dirs(text):
        sources.log_dirs.append(read_log_dirs(text, path))
    elif is_reassignment(text) and not _is_cut(text):
        sources.current.append(_placed_now(text, path))
    else:
        raise _other(text, path, f"{_EXPECTED}, or lines `id,rack`")


def to_be_linted(
    paths: Iterable[str], sources: ClusterSources, also: str = ""
) -> list[Reassignment | TopicsToMove]:
    """The objects of kafka-reassign-partitions in the files; `sources` receives all other content.

    Of the output of --generate only what is proposed; the placement that --execute prints is the one before,
    and not what was started. `also`: what else the caller takes, for errors.
    """
    blocks: list[Reassignment | TopicsToMove] = []
    executed: list[tuple[str, str]] = []
    for path in paths:
        text = sources.read(path, _EXPECTED)
        if is_topics(text) or is_brokers(text) or is_log_dirs(text):
            take_file(sources, path)
            continue
        if is_executed(text):
            executed.append((path, text))
            continue
        if _is_cut(text) or (not is_reassignment(text) and (what_is(text) or "{" not in text)):
            raise _other(text, path, f"{also}{EXPECTED}, or {_EXPECTED}")
        objects = read_reassignments(text, path)
        proposed = [each for each in objects if isinstance(each, Reassignment) and each.title == PROPOSED]
        blocks += proposed or objects
    for path, text in executed:
        blocks += _started(text, path, sources, is_given=bool(blocks))
    return blocks


def _started(
    text: str, path: str, sources: ClusterSources, *, is_given: bool
) -> list[Reassignment | TopicsToMove]:
    """The plan that was started, which only old releases print (before 1.0); else the placement is today's.

    Raises `InputError` if no file has the plan.
    """
    before, *started = read_reassignments(text, path)
    if started:
        return started
    if not is_given:
        raise InputError(
            f"{path}: the output of --execute, which has the placement before it, for a rollback, and "
            "not what was started: expected the file that was passed to --execute, as well or instead"
        )
    if isinstance(before, Reassignment) and not sources.topics:
        sources.current.append(before)
    return []


def _placed_now(text: str, path: str) -> Reassignment:
    """The present placement in a reassignment; raises `InputError` where it is being changed."""
    if is_executed(text):
        raise InputError(
            f"{path}: the output of --execute, which has the placement before it, not where replicas go now: "
            "expected the output of kafka-topics.sh --describe"
        )
    return read_current(text, path)


def _is_cut(text: str) -> bool:
    return what_is(text).endswith("cut off")


def _other(text: str, path: str, expected: str) -> InputError:
    failure = failure_in(text)
    if failure is not None:
        return InputError(f"{path}: the tool failed: {failure}")
    what = what_is(text)
    return InputError(f"{path}: {f'is {what}' if what else 'not recognised'}, expected {expected}")

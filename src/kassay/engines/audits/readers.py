"""How long partitions had no reader when they changed hands, by the offsets that their readers committed.

A member that dies is the owner of its partitions until its session ends, which no record shows. But a reader
commits offsets: so a partition had no reader from some time between its last commit and the next one that was
due, until the record that gives it to another member. Where a record takes a partition from its owner, it has
had no reader since that record at the latest. In a Streams group a task is read whose thread commits offsets
of its source topics. A share group commits none to this log, and reads a partition while any member has it.

Source: Kafka `GroupMetadataManager`, `ConsumerCoordinator.maybeAutoCommitOffsetsAsync`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kassay.engines.audits.values import LogMoment, UnreadTime
from kassay.model.cluster import TopicPartition


class _Commits(NamedTuple):
    """The last commit of a partition, and the longest time between two of its reader."""

    last: int
    longest: int | None = None


class CommittedPartition(NamedTuple):
    """What the key of a commit names."""

    group: str
    tp: TopicPartition


def committed(key: bytes) -> CommittedPartition | None:
    """What a key as kafka-dump-log prints it names; None for a key of another form."""
    try:
        fields = json.loads(key)["data"]
        group, topic, number = fields["group"], fields["topic"], fields["partition"]
    except (ValueError, KeyError, TypeError):
        return None
    if isinstance(group, str) and isinstance(topic, str) and type(number) is int:
        return CommittedPartition(group, TopicPartition(topic, number))
    return None


@dataclass
class CommitTimes:
    """The times of offset commits in a partition of the log.

    `_named` holds what the bytes of each key name: commits are millions, their keys are few.
    """

    _named: dict[bytes, CommittedPartition | None] = field(default_factory=dict)
    _seen: dict[CommittedPartition, _Commits] = field(default_factory=dict)

    def take(self, key: bytes, timestamp: int) -> CommittedPartition | None:
        """Add a commit; what its key names, None for a key of another form."""
        named = self._named[key] if key in self._named else self._named.setdefault(key, committed(key))
        if named is None:
            return None
        old = self._seen.get(named)
        if old is None:
            self._seen[named] = _Commits(timestamp)
        else:
            self._seen[named] = _Commits(timestamp, max(timestamp - old.last, old.longest or 0))
        return named

    def of(self, group: str, tp: TopicPartition) -> _Commits | None:
        """The commits of the partition's reader; None if it made none."""
        return self._seen.get(CommittedPartition(group, tp))

    def of_any(self, group: str, tps: Iterable[TopicPartition]) -> _Commits | None:
        """The commits of a reader that reads all of these partitions."""
        commits = [each for tp in tps if (each := self.of(group, tp)) is not None]
        if not commits:
            return None
        longest = [each.longest for each in commits if each.longest is not None]
        return _Commits(max(each.last for each in commits), max(longest, default=None))

    def begin(self, group: str, tp: TopicPartition) -> None:
        """Another reader begins, who commits as often as it likes."""
        key = CommittedPartition(group, tp)
        old = self._seen.get(key)
        if old is not None:
            self._seen[key] = _Commits(old.last)


class _Held(NamedTuple):
    """The owner of a partition, since when, and when a record took it away; None while it has it."""

    member: str
    since: int
    released: int | None = None


def _itself(tp: TopicPartition) -> Iterable[TopicPartition]:
    """The partition: a consumer commits the offsets of what it reads."""
    return (tp,)


@dataclass
class PartitionReaders:
    """The reader of each partition of a group.

    `committed_by`: the partitions of topics of which the reader commits offsets; of a task its sources.
    """

    group: str
    commits: CommitTimes
    committed_by: Callable[[TopicPartition], Iterable[TopicPartition]] = _itself
    _held: dict[TopicPartition, _Held] = field(default_factory=dict)
    _topics: set[str] = field(default_factory=set)

    @property
    def partitions(self) -> set[TopicPartition]:
        """The partitions that have or had a reader."""
        return {*self._held}

    def forget(self) -> None:
        """Nothing is known of who reads what, or no member is there to read."""
        self._held.clear()

    def rename(self, back: Mapping[str, str]) -> None:
        """Static members have other ids."""
        for tp, held in self._held.items() if back else ():
            if held.member in back:
                self._held[tp] = held._replace(member=back[held.member])

    def name_topics(self, named: Callable[[Iterable[TopicPartition]], Iterable[TopicPartition]]) -> None:
        """What `named` calls the topics that were known by their ids only: their readers stay."""
        firsts = [TopicPartition(topic, 0) for topic in self._topics]
        names = {tp.topic: name.topic for tp, name in zip(firsts, named(firsts), strict=True)}
        if any(topic != name for topic, name in names.items()):
            self._topics = {*names.values()}
            self._held = {
                TopicPartition(names[tp.topic], tp.partition): held for tp, held in self._held.items()
            }

    def release(self, tps: Iterable[TopicPartition], moment: LogMoment) -> None:
        """A record takes partitions from their owners."""
        for tp in tps:
            held = self._held.get(tp)
            if held is not None and held.released is None and moment.timestamp is not None:
                self._held[tp] = held._replace(released=moment.timestamp)

    def assign(
        self,
        owners: Mapping[TopicPartition, str],
        members: Container[str],
        moment: LogMoment,
        generation: int,
        within: int | None,
    ) -> list[UnreadTime]:
        """A record gives partitions to members: how long those that changed hands had no reader.

        Those of former members apart from those of present `members`. `within`: the milliseconds after which
        a dead member is replaced at the latest, None if not known.
        """
        now = moment.timestamp
        if now is None:
            return []
        times: dict[bool, list[tuple[int, int | None]]] = {}
        for tp, member in owners.items():
            held = self._held.get(tp)
            if held is not None and held.member == member and held.released is None:
                continue
            if held is not None:
                times.setdefault(held.member in members, []).append(self._unread(tp, held, now, within))
            self._held[tp] = _Held(member, now)
            self._topics.add(tp.topic)
            for each in self.committed_by(tp):
                self.commits.begin(self.group, each)
        return [_together(each, generation, moment) for _, each in sorted(times.items())]

    def _unread(
        self, tp: TopicPartition, held: _Held, now: int, within: int | None
    ) -> tuple[int, int | None]:
        """The least and the most milliseconds without a reader; None if the reader committed nothing."""
        least = 0 if held.released is None else now - held.released
        commits = self.commits.of_any(self.group, self.committed_by(tp))
        if commits is None or commits.last < held.since:
            return least, None
        most = now - commits.last
        if within is not None:
            most = min(most, within)
        if commits.longest is not None:
            least = max(least, min(most, now - commits.last - commits.longest))
        return min(least, most), most


def _together(times: Sequence[tuple[int, int | None]], generation: int, moment: LogMoment) -> UnreadTime:
    known = [most for _, most in times if most is not None]
    most = max(known) if len(known) == len(times) else None
    return UnreadTime(min(least for least, _ in times), most, len(times), generation, moment)

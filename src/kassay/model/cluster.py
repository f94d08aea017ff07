"""The cluster: brokers, racks, topics and their partitions.

Values that are created by the million per minute are named tuples: frozen, hashable and ordered like a
dataclass, but built and compared in C.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final, NamedTuple

from kassay.model.lazy import lazy


class TopicPartition(NamedTuple):
    """One partition; `partition` is the 0-based index inside `topic`."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


def numbers_by_topic(tps: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """The partition numbers by topic, both in order of appearance."""
    numbers: dict[str, list[int]] = {}
    last, of_last = None, list[int]()
    for topic, number in tps:
        if topic != last:
            # Partitions are mostly grouped by topic.
            last, of_last = topic, numbers.setdefault(topic, [])
        of_last.append(number)
    return numbers


class _Shared:
    """Partitions that clusters share, by topic, up to a total limit.

    Histories change their clusters often while most topics stay the same, and equal objects compare faster if
    they are identical.
    """

    def __init__(self, most: int) -> None:
        self._most, self._kept = most, 0
        self._by_topic: dict[str, tuple[TopicPartition, ...]] = {}

    def held(self, topic: str) -> tuple[TopicPartition, ...]:
        """The cached partitions of the topic, in number order."""
        return self._by_topic.get(topic, ())

    def first(self, topic: str, count: int) -> tuple[TopicPartition, ...]:
        """The first partitions of the topic, in number order."""
        held = self.held(topic)
        if len(held) < count:
            held = (*held, *_anew(topic, range(len(held), count)))
            self._keep(topic, held)
        return held[:count]

    def _keep(self, topic: str, partitions: tuple[TopicPartition, ...]) -> None:
        more = len(partitions) - len(self.held(topic))
        if self._kept + more > self._most:
            self._by_topic.clear()
            self._kept, more = 0, len(partitions)
        if more <= self._most:
            self._by_topic[topic] = partitions
            self._kept += more


def _anew(topic: str, numbers: Iterable[int]) -> Iterator[TopicPartition]:
    """New partitions, without a Python-level call per partition."""
    return map(tuple.__new__, repeat(TopicPartition), zip(repeat(topic), numbers))


_SHARED: Final = _Shared(50_000)


def numbered(topic: str, numbers: Sequence[int]) -> Iterable[TopicPartition]:
    """The partitions of a topic with these numbers, in order; shared objects if possible."""
    held = _SHARED.held(topic)
    if numbers and min(numbers) >= 0 and max(numbers) < len(held):
        return map(held.__getitem__, numbers)
    return _anew(topic, numbers)


def first_of(topic: str, count: int) -> tuple[TopicPartition, ...]:
    """The first `count` partitions of the topic, in number order; shared objects if possible."""
    return _SHARED.first(topic, count)


class Broker(NamedTuple):
    """One broker; a `fenced` broker is registered but must not lead."""

    broker_id: int
    rack: str | None = None
    fenced: bool = False


class Topic(NamedTuple):
    """One topic with `partitions` partitions.

    `replicas` holds the broker ids of each partition, preferred leader first, or None if placement does not
    matter. `weights` holds the cost of each partition for its owner (lag, records per second), or None if all
    are equal. `topic_id` is KIP-516's id in base64url, if known.
    """

    name: str
    partitions: int
    replicas: tuple[tuple[int, ...], ...] | None = None
    weights: tuple[int, ...] | None = None
    topic_id: str | None = None

    def tps(self) -> Iterator[TopicPartition]:
        """The topic's partitions in number order."""
        name = self.name
        return (TopicPartition(name, p) for p in range(self.partitions))

    def with_partitions(self, partitions: int) -> Topic:
        """The topic with so many partitions, whose replicas and weights repeat in a cycle."""
        numbers = [p % self.partitions for p in range(partitions)]
        return self._replace(
            partitions=partitions,
            replicas=None if self.replicas is None else tuple(self.replicas[p] for p in numbers),
            weights=None if self.weights is None else tuple(self.weights[p] for p in numbers),
        )


class _Near(dict[tuple[int, ...], frozenset[str]]):
    """The racks of replicas on some brokers, cached by row of brokers."""

    def __init__(self, racks: Mapping[int, str | None]) -> None:
        super().__init__()
        self.racks = racks

    def __missing__(self, replicas: tuple[int, ...]) -> frozenset[str]:
        racks = frozenset([rack for b in replicas if (rack := self.racks.get(b)) is not None])
        self[replicas] = racks
        return racks


@dataclass(frozen=True)
class Cluster:
    """The metadata that an assignor sees: brokers, and topics in iteration order.

    A topic that is missing here, or has no partitions, is unknown.
    """

    topics: tuple[Topic, ...] = ()
    brokers: tuple[Broker, ...] = ()

    @lazy
    def counts(self) -> dict[str, int]:
        """The number of partitions of each known topic, in topic order; treat as read-only."""
        return {topic.name: topic.partitions for topic in self.topics if topic.partitions > 0}

    @lazy
    def by_name(self) -> dict[str, Topic]:
        """The known topics by name; treat as read-only."""
        return {topic.name: topic for topic in self.topics if topic.partitions > 0}

    @lazy
    def partitions(self) -> dict[str, tuple[TopicPartition, ...]]:
        """The partitions of each known topic in number order, topics as given; treat as read-only.

        Sharing these objects saves creating and hashing them again.
        """
        return {name: first_of(name, count) for name, count in self.counts.items()}

    @lazy
    def everything(self) -> frozenset[TopicPartition]:
        """All partitions."""
        return frozenset().union(*self.partitions.values())

    @lazy
    def reversed(self) -> Cluster:
        """The cluster with its topics in reverse order."""
        return Cluster(self.topics[::-1], self.brokers)

    @lazy
    def rotated(self) -> Cluster:
        """The cluster with its first topic moved to the end."""
        return Cluster(self.topics[1:] + self.topics[:1], self.brokers)

    @lazy
    def broker_racks(self) -> dict[int, str | None]:
        """The rack of each broker by id; treat as read-only."""
        return {broker.broker_id: broker.rack for broker in self.brokers}

    @lazy
    def replica_racks(self) -> dict[str, tuple[frozenset[str], ...]]:
        """For each topic with replicas, the racks that hold each partition; treat as read-only.

        A broker that is unknown or has no rack contributes nothing to its partitions' sets.
        """
        near = _Near(self.broker_racks)
        return {
            topic.name: tuple(map(near.__getitem__, topic.replicas))
            for topic in self.topics
            if topic.replicas is not None
        }

    @lazy
    def has_replica_racks(self) -> bool:
        """Whether the replica racks of any partition are known."""
        return any(map(any, self.replica_racks.values()))

    @lazy
    def weighs(self) -> bool:
        """Whether any topic has weights."""
        return any(topic.weights is not None for topic in self.topics)

    def has(self, tp: TopicPartition) -> bool:
        """Whether the partition exists: topic known and 0 <= partition < its count."""
        return 0 <= tp[1] < self.counts.get(tp[0], 0)

    def weight(self, tp: TopicPartition) -> int:
        """The cost of the partition for its owner; 1 unless the topic has weights."""
        topic = self.by_name.get(tp.topic)
        if topic is None or topic.weights is None:
            return 1
        return topic.weights[tp.partition]

    def with_topics(self, topics: Iterable[Topic]) -> Cluster:
        """The same brokers with these topics."""
        return Cluster(tuple(topics), self.brokers)

    @classmethod
    def of(cls, counts: dict[str, int]) -> Cluster:
        """A cluster given only by partition counts."""
        return cls(tuple(Topic(name, count) for name, count in counts.items()))

"""Known facts about topics: names of topic ids, and a lower bound of the partitions that a topic had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.shape.codec import MOST


@dataclass(frozen=True)
class KnownTopics:
    """Topics as described today: partition counts by name, and names by topic id."""

    counts: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, topics: Iterable[Topic]) -> KnownTopics:
        """The topics by name and by id."""
        listed = tuple(topics)
        names = {topic.topic_id: topic.name for topic in listed if topic.topic_id is not None}
        return cls({topic.name: topic.partitions for topic in listed}, names)


@dataclass
class SeenTopics:
    """A lower bound of each topic's partitions, from the assignments of its group so far.

    Topics only grow, so today's count is an upper bound; a partition that was assigned and exists today has
    existed since.
    """

    today: Mapping[str, int]
    _most: dict[str, int] = field(default_factory=dict)

    def cluster(
        self, given: Iterable[TopicPartition], owned: Iterable[TopicPartition], exact: Mapping[str, int]
    ) -> Cluster | None:
        """The topics at the time of a rebalance, from its assigned and its owned partitions.

        `exact`: counts that the records contain. None if the counts are implausibly large.
        """
        here: dict[str, int] = {}
        for topic, number in given:
            here[topic] = max(here.get(topic, 0), number + 1)
        counts = dict(here)
        for topic, number in owned:
            counts[topic] = max(counts.get(topic, 0), number + 1)
        for topic, most in self._most.items():
            if topic in here:
                counts[topic] = max(counts[topic], min(most, self.today.get(topic, 0)))
        for topic, count in here.items():
            self._most[topic] = max(count, self._most.get(topic, 0))
        counts |= {topic: max(count, here.get(topic, 0)) for topic, count in exact.items()}
        return Cluster.of(dict(sorted(counts.items()))) if sum(counts.values()) <= MOST else None

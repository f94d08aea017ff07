"""What is known of topics: names of topic ids, and how many partitions a topic had at least."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.shape.codec import MOST


@dataclass(frozen=True)
class KnownTopics:
    """Topics as they are described today: partition counts by name, and names by topic id."""

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
    """How many partitions each topic of a group had at least, by what its members were given so far.

    Topics grow, so what is described today bounds what was; a number that was given and is there today was
    there all the time between.
    """

    today: Mapping[str, int]
    _most: dict[str, int] = field(default_factory=dict)

    def cluster(
        self, given: Iterable[TopicPartition], claimed: Iterable[TopicPartition], exact: Mapping[str, int]
    ) -> Cluster | None:
        """The topics as a rebalance had them, by what it gave out and what was claimed in it.

        `exact` are counts that the records have. None where they are absurdly many.
        """
        here: dict[str, int] = {}
        for topic, number in given:
            here[topic] = max(here.get(topic, 0), number + 1)
        counts = dict(here)
        for topic, number in claimed:
            counts[topic] = max(counts.get(topic, 0), number + 1)
        for topic, most in self._most.items():
            if topic in here:
                counts[topic] = max(counts[topic], min(most, self.today.get(topic, 0)))
        for topic, count in here.items():
            self._most[topic] = max(count, self._most.get(topic, 0))
        counts |= {topic: max(count, here.get(topic, 0)) for topic, count in exact.items()}
        return Cluster.of(dict(sorted(counts.items()))) if sum(counts.values()) <= MOST else None

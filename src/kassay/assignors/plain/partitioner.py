"""The plain form of a partitioner, and its adapter to the full form.

    partition(topic: str, key: bytes | None, value, num_partitions: int, available: list[int]) -> int

The optional methods are `configure(config: dict[str, str])` and `close()`, as in Kafka's `Partitioner`.
`available` holds the numbers of the partitions that have a leader. A record that names its partition never
reaches the partitioner: as in `KafkaProducer`, it goes to that partition if it exists.
"""

from __future__ import annotations

from kassay.assignors.plain.answers import difference, integer
from kassay.assignors.plain.target import PlainTarget
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata, named_partition

PlainRecord = tuple[str, bytes | None, bytes | None, int, list[int]]


def plain_record(record: ProducerRecord, topic: TopicMetadata) -> PlainRecord:
    """The arguments of the plain call."""
    return record.topic, record.key, record.value, topic.count, list(topic.available)


def check_partition(answer: object) -> int:
    """The checked answer of a plain `partition`; raises `Malformed`."""
    return integer("partition has the answer", answer)


class PlainPartitioner(PlainTarget):
    """A plain object of this process in the full form; `mutated` is the first change of an argument."""

    mutated: str | None = None

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition of the record."""
        named = named_partition(record, topic)
        if named is not None:
            return named
        arguments = plain_record(record, topic)
        answer = self._call("partition", check_partition, *arguments)
        self.mutated = self.mutated or difference(list(topic.available), arguments[-1], "available")
        return answer

    def close(self) -> None:
        """Close the object, if it has `close`."""
        if hasattr(self._target, "close"):
            self._call("close", lambda _: None)

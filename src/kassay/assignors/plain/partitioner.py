"""The plain form of a partitioner, and its adapter to the full form.

    partition(topic: str, key: bytes | None, value, num_partitions: int, available: list[int]) -> int

with `configure(config: dict[str, str])` and `close()` where it has them: Kafka's `Partitioner` in
Python. `available` are the numbers of the partitions that have a leader. A record that names its
partition never comes here: as in `KafkaProducer`, it goes there if there is such a partition.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kassay.assignors.plain.answers import Malformed, integer
from kassay.model.failure import FailureKind, TargetFailure, failed
from kassay.model.partitioners.partitioner import InvalidPartitionError, ProducerRecord, TopicMetadata

PlainRecord = tuple[str, bytes | None, bytes | None, int, list[int]]

EXPECTED = "partition has the answer"


def plain_record(record: ProducerRecord, topic: TopicMetadata) -> PlainRecord:
    """The arguments of the plain call."""
    return record.topic, record.key, record.value, topic.count, list(topic.available)


def named_partition(record: ProducerRecord, topic: TopicMetadata) -> int | None:
    """The partition that the record names, None if it names none; raises `InvalidPartitionError`."""
    asked = record.partition
    if asked is not None and not 0 <= asked < topic.count:
        raise InvalidPartitionError(
            f"partition {asked} of {record.topic}: expected one from 0 to {topic.count - 1}"
        )
    return asked


class PlainPartitioner:
    """A plain object of this process in the full form.

    Raises `TargetFailure` for whatever the object raises, and for an answer that is no number.
    """

    def __init__(self, target: Any, *, source: str | None = None) -> None:
        self._target = target
        self._source = source

    def configure(self, config: Mapping[str, str]) -> None:
        """Hand the producer's configuration on, if the object takes one."""
        if hasattr(self._target, "configure"):
            self._call("configure", dict(config))

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """Where the record goes."""
        named = named_partition(record, topic)
        if named is not None:
            return named
        answer = self._call("partition", *plain_record(record, topic))
        try:
            return integer(EXPECTED, answer)
        except Malformed as malformed:
            raise TargetFailure(FailureKind.MALFORMED, str(malformed), "partition") from None

    def close(self) -> None:
        """Close the object, if it can be."""
        if hasattr(self._target, "close"):
            self._call("close")

    def _call(self, method: str, *given: Any) -> Any:
        try:
            return getattr(self._target, method)(*given)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit and its like are the target's too
            raise failed(error, method, self._source) from None

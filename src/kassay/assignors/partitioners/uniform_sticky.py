"""Uniform sticky, the current default: keyless records stay with one partition until it got a full batch.

Goals, in order: full batches; keyless bytes spread over partitions evenly or, where the sender's queues are
known, fewer bytes to partitions with longer queues. Keyed records use murmur2.
The next partition is drawn among the available ones (among all, if none is), or by queue lengths from a table
of cumulative sums. Records stick to it until it got `batch.size` bytes, then the next is drawn. A caller that
knows that the last batch is not full yet may delay the switch, up to twice the size. A partition that becomes
unavailable keeps its records until the switch, so every keyless record goes to an available partition only
while the metadata do not change.
Kafka draws from the thread's random numbers; here they come from an injected source.
Source: Kafka `BuiltInPartitioner`, KIP-794 (before it, KIP-480).
Cost: O(1) a record, O(log P) a draw by queue length, O(P) for a new table.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from kassay.assignors.partitioners.murmur2 import at_turn, partition_for_key
from kassay.assignors.registry import reference
from kassay.model.errors import InputError
from kassay.model.java import POSITIVE_INTS, JavaRandom, RandomSource
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import PartitionerBase, ProducerRecord, TopicMetadata

BATCH_SIZE_BYTES: Final = 16_384


class Queue(NamedTuple):
    """How many batches wait to be sent to one partition."""

    partition: int
    batches: int


class LoadTable(NamedTuple):
    """Partitions and the cumulative sums of their weights."""

    partitions: tuple[int, ...]
    sums: tuple[int, ...]

    def pick(self, number: int) -> int:
        """The first partition whose cumulative sum exceeds the number modulo the last sum."""
        return self.partitions[bisect_right(self.sums, number % self.sums[-1])]


def load_table(queues: Sequence[Queue], left_out: int = 0) -> LoadTable | None:
    """The weights of partitions with these queues; None if all partitions that count have equal weights.

    `left_out` is the number of partitions with a leader that are too slow to be considered. A weight is the
    longest queue plus one, minus the partition's own queue.

    >>> load_table([Queue(0, 0), Queue(1, 3), Queue(2, 1)])
    LoadTable(partitions=(0, 1, 2), sums=(4, 5, 8))
    """
    lengths = [queue.batches for queue in queues]
    if not lengths or len(lengths) + left_out < 2:
        return None
    if not left_out and len(set(lengths)) == 1:
        return None
    top = max(lengths) + 1
    return LoadTable(
        tuple(queue.partition for queue in queues), tuple(accumulate(top - length for length in lengths))
    )


class StickyPartition:
    """The partition that keyless records of one topic stick to, and how many bytes it got."""

    def __init__(self, batch_size_bytes: int, random: RandomSource) -> None:
        if batch_size_bytes < 1:
            raise InputError(f"sticky batch size {batch_size_bytes}, expected at least 1 byte")
        self._batch_size_bytes = batch_size_bytes
        self._random = random
        self._table: LoadTable | None = None
        self._current: int | None = None
        self._produced_bytes = 0

    def update_loads(self, table: LoadTable | None) -> None:
        """Draw by this table from the next switch on; None: all available partitions with equal chances."""
        self._table = table

    def current(self, topic: TopicMetadata) -> int:
        """The partition of the next record; raises `NoPartitionsError`."""
        if self._current is None:
            self._current = self._draw(topic)
        return self._current

    def produced(self, size_bytes: int, topic: TopicMetadata, *, may_switch: bool = True) -> None:
        """Count bytes that went to the current partition, and draw another when it got enough."""
        self._produced_bytes += size_bytes
        enough = self._batch_size_bytes if may_switch else 2 * self._batch_size_bytes
        if self._produced_bytes >= enough:
            self._current = self._draw(topic)
            self._produced_bytes = 0

    def _draw(self, topic: TopicMetadata) -> int:
        number = self._random.next_int(POSITIVE_INTS)
        if self._table is not None:
            return self._table.pick(number)
        return at_turn(number, topic)


@reference(
    "uniform-sticky",
    kind=PARTITIONER,
    claims=("hash-compatible",),
    source="org.apache.kafka.clients.producer.internals.BuiltInPartitioner",
)
class UniformSticky(PartitionerBase):
    """Keyless records stick to a drawn partition for a batch, keyed ones by murmur2 (KIP-794)."""

    def __init__(self, random: RandomSource | None = None) -> None:
        self._random = random or JavaRandom(0)
        self._batch_size_bytes = BATCH_SIZE_BYTES
        self._ignore_keys = False
        self._sticky: dict[str, StickyPartition] = {}

    def configure(self, config: Mapping[str, str]) -> None:
        """Take `batch.size` and `partitioner.ignore.keys`; raises `InputError` if the size is no number."""
        size = config.get("batch.size", str(BATCH_SIZE_BYTES))
        if not size.isdecimal():
            raise InputError(f"batch.size: {size!r}, expected a number of bytes")
        # The producer sends records singly where the batch size is 0.
        self._batch_size_bytes = max(1, int(size))
        self._ignore_keys = config.get("partitioner.ignore.keys", "false").lower() == "true"

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition of the record; raises `NoPartitionsError`."""
        if record.key is not None and not self._ignore_keys:
            return partition_for_key(record.key, topic.count)
        sticky = self.sticky(record.topic)
        partition = sticky.current(topic)
        sticky.produced(record.size_bytes, topic)
        return partition

    def sticky(self, topic: str) -> StickyPartition:
        """The sticky partition of the topic's keyless records."""
        if topic not in self._sticky:
            self._sticky[topic] = StickyPartition(self._batch_size_bytes, self._random)
        return self._sticky[topic]

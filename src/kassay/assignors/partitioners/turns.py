"""Round robin of the older default partitioners over keyless records.

The counter is a Java int: it overflows into the negative numbers, and each release makes it non-negative in
its own way (`Utils.abs` in 0.8, `toPositive` later).
Source: Kafka `Partitioner` (0.8), `DefaultPartitioner` (0.9 to 2.3).
"""

from __future__ import annotations

from collections.abc import Callable

from kassay.model.java.int32 import wrap
from kassay.model.partitioners.partitioner import NoPartitionsError, TopicMetadata


def at_turn(turn: int, topic: TopicMetadata) -> int:
    """The available partition at that turn, of all if none is available; raises `NoPartitionsError`."""
    if not topic.count:
        raise NoPartitionsError("a topic with 0 partitions cannot take a record")
    available = topic.available
    return available[turn % len(available)] if available else turn % topic.count


class Turns:
    """A counter that goes round the available partitions."""

    def __init__(self, positive: Callable[[int], int], start: int = 0) -> None:
        self._positive = positive
        self._counter = wrap(start)

    def next(self, topic: TopicMetadata) -> int:
        """The next partition; raises `NoPartitionsError`."""
        partition = at_turn(self._positive(self._counter), topic)
        self._counter = wrap(self._counter + 1)
        return partition

"""Whose turn it is: how the older default partitioners spread keyless records.

The counter is a Java int: it overflows into the negative numbers, and is made non-negative in the
way of the release (`Utils.abs` in 0.8, `toPositive` after it).
Source: Kafka `Partitioner` (0.8), `DefaultPartitioner` (0.9 to 2.3).
"""

from __future__ import annotations

from collections.abc import Callable

from kassay.model.java.int32 import wrap
from kassay.model.partitioners.partitioner import NoPartitionsError, TopicMetadata


def at_turn(turn: int, topic: TopicMetadata) -> int:
    """The available partition at that turn, one of all with none available; raises `NoPartitionsError`."""
    if not topic.count:
        raise NoPartitionsError("a topic with 0 partitions has none for a record")
    available = topic.available
    return available[turn % len(available)] if available else turn % topic.count


class Turns:
    """A counter that goes round the available partitions."""

    def __init__(self, positive: Callable[[int], int], start: int = 0) -> None:
        self._positive = positive
        self._counter = wrap(start)

    def next(self, topic: TopicMetadata) -> int:
        """The partition whose turn it is; raises `NoPartitionsError`."""
        partition = at_turn(self._positive(self._counter), topic)
        self._counter = wrap(self._counter + 1)
        return partition

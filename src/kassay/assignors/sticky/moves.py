"""The moves of a rebalance so far, so that no partition goes back and forth.

If a partition of a topic is to move from A to B, and another partition of that topic has moved from B to A,
the other one goes back instead. The partition sent back is the first that is still recorded; Kafka takes the
first of a hash set, which never changed an answer in the golden vectors.
Source: Kafka client `AbstractStickyAssignor.PartitionMovements` 3.9.1 (KIP-54).
"""

from __future__ import annotations

from kassay.model.cluster import TopicPartition

Pair = tuple[int, int]


class PartitionMovements:
    """The moves so far, each from the first owner to the present one; members are numbers."""

    def __init__(self) -> None:
        self._pairs: dict[TopicPartition, Pair] = {}
        self._by_topic: dict[str, dict[Pair, dict[TopicPartition, None]]] = {}

    def to_be_moved(self, tp: TopicPartition, source: int, target: int) -> TopicPartition:
        """The partition that really moves when this one is to go from source to target."""
        of_topic = self._by_topic.get(tp.topic)
        if not of_topic:
            return tp
        if tp in self._pairs:
            source = self._pairs[tp][0]
        back = of_topic.get((target, source))
        return next(iter(back)) if back else tp

    def record(self, tp: TopicPartition, source: int, target: int) -> None:
        """Record the move; one that leads back to the first owner removes the record."""
        if tp in self._pairs:
            source = self._forget(tp)
            if source == target:
                return
        pair = (source, target)
        self._pairs[tp] = pair
        self._by_topic.setdefault(tp.topic, {}).setdefault(pair, {})[tp] = None

    def _forget(self, tp: TopicPartition) -> int:
        """Remove the partition's record and return its first owner."""
        pair = self._pairs.pop(tp)
        of_topic = self._by_topic[tp.topic]
        del of_topic[pair][tp]
        if not of_topic[pair]:
            del of_topic[pair]
        return pair[0]

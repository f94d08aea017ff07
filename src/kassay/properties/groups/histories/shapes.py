"""Sizes and subscription graphs seen in production, each with its source.

A shape is a skeleton: the number of members, the sizes of the topics, the subscriptions. The generator of the
large profile fills it with ownership and events.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class ClusterShape:
    """`graph` gives the subscriptions: all, own (a topic each), two (overlapping windows), some (random)."""

    id: str
    members: int
    topics: tuple[int, ...]
    graph: str
    source: str


SHAPES: Final[tuple[ClusterShape, ...]] = (
    ClusterShape("topic-each", 84, (3,) * 84, "own", "aiokafka issue 1176: 12 processes of 7 consumers"),
    ClusterShape("wide-topic", 450, (3000,), "all", "librdkafka issue 4629"),
    ClusterShape("two-by-eighteen", 9, (18, 18), "all", "librdkafka issue 4044"),
    ClusterShape("ten-over-three", 3, (10,), "all", "confluent-kafka-go issue 622"),
    ClusterShape("four-over-144", 4, (144,), "all", "librdkafka issue 603"),
    ClusterShape(
        "active-ring", 100, (200, 40), "all", "grafana/tempo issue 7665: 200 active partitions and a tail"
    ),
    ClusterShape("forty-each", 10, (40,) * 12, "some", "alpakka-kafka issue 304: 12 topics of 40 partitions"),
    ClusterShape("tasks-450", 20, (450,), "all", "KAFKA-20198: 450 tasks over 20 threads"),
    ClusterShape("tasks-500", 12, (500,), "all", "KAFKA-20198: 500 tasks over 12 threads"),
    ClusterShape("range-idle", 10, (5, 3), "all", "nocture.dk 2019: 8 partitions, 10 consumers"),
    ClusterShape("many-added", 10, (900,), "all", "Karafka documentation: 10 consumers, 900 partitions"),
    ClusterShape("single-partition-topics", 20, (1,) * 60, "all", "CAIDA libbgpstream issue 209"),
    ClusterShape(
        "realistic-large", 100, (50,) * 20, "two", "KAFKA-15106, a committer's idea of large, at a fifth"
    ),
)

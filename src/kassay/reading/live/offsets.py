"""Committed offsets of a group and the ends of its partitions: what is left to read.

The right to describe group and topics suffices. Source: Kafka `OffsetFetch`, `ListOffsets` (timestamp -1: the
end), `ConsumerGroupCommand.collectGroupsOffsets`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kassay.model.cluster import TopicPartition
from kassay.reading.live.cluster import LiveCluster

END, START = -1, -2
"""The timestamps that stand for the end of a partition, and for its first record."""
_BY_NAME: Final = 8
"""The last version of OffsetFetch in which one group's answer is all that we read; 10 has ids for names."""


def committed(cluster: LiveCluster, group: str) -> dict[TopicPartition, int]:
    """The committed offset of each partition of the group; raises `InputError`."""
    (node,) = cluster.coordinators([group])
    message = cluster.message("OffsetFetch")
    batched = cluster.offers("OffsetFetch", node) >= _BY_NAME
    fields: dict[str, Any]
    if batched:
        fields = {"groups": [message.OffsetFetchRequestGroup(group_id=group, topics=None)]}
    else:
        fields = {"group_id": group, "topics": None}

    def ask() -> tuple[int, Any]:
        answer = cluster.ask("OffsetFetch", fields, node, _BY_NAME)
        of_group = answer.groups[0] if batched else answer
        return of_group.error_code, of_group

    answer = cluster.settled(ask, "group", group)
    return {
        TopicPartition(topic.name, each.partition_index): each.committed_offset
        for topic in answer.topics
        for each in topic.partitions
        if not each.error_code and each.committed_offset >= 0
    }


def ends(
    cluster: LiveCluster,
    leaders: Mapping[TopicPartition, int | None],
    wanted: Iterable[TopicPartition],
    timestamp: int = END,
) -> dict[TopicPartition, int]:
    """The end, or the `START`, of each wanted partition whose leader knows it."""
    message = cluster.message("ListOffsets")
    by_leader: dict[int, dict[str, list[int]]] = {}
    for tp in wanted:
        leader = leaders.get(tp)
        if leader is not None and leader in cluster.nodes:
            by_leader.setdefault(leader, {}).setdefault(tp.topic, []).append(tp.partition)
    by_partition = {}
    for leader, numbers in sorted(by_leader.items()):
        topics = [
            message.ListOffsetsTopic(
                name=topic,
                partitions=[
                    message.ListOffsetsTopic.ListOffsetsPartition(partition_index=each, timestamp=timestamp)
                    for each in partitions
                ],
            )
            for topic, partitions in numbers.items()
        ]
        answer = cluster.ask(
            "ListOffsets", {"replica_id": -1, "isolation_level": 0, "topics": topics}, leader
        )
        for topic in answer.topics:
            for each in topic.partitions:
                if not each.error_code:
                    by_partition[TopicPartition(topic.name, each.partition_index)] = int(each.offset)
    return by_partition

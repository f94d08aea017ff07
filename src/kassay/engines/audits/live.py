"""The log of `__consumer_offsets`, fetched from its brokers into files such as kafka-dump-log prints.

Of one group only the partition that has it is read: the hash of its name says which. Source: Kafka
`GroupCoordinatorService.partitionFor`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kassay.engines.audits.topics import KnownTopics
from kassay.model.java import string_hash
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.log import dump_lines, offset_partitions
from kassay.reading.live.topics import describe_topics


def fetch_log(
    cluster: LiveCluster, folder: Path, group: str | None, tell: Callable[[int], object]
) -> tuple[tuple[str, ...], KnownTopics]:
    """The paths of the fetched files, one a partition, and today's topics; raises `InputError`.

    `tell` gets how many records are read of the present partition.
    """
    leaders = offset_partitions(cluster)
    known = KnownTopics.of(topic.to_topic() for topic in describe_topics(cluster).topics)
    paths = []
    for tp, leader in sorted(leaders.items()):
        if group is not None and tp.partition != partition_of(group, len(leaders)):
            continue
        path = folder / f"{tp}.txt"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in dump_lines(cluster, tp, leader, tell))
        paths.append(str(path))
    return tuple(paths), known


def partition_of(group: str, count: int) -> int:
    """The partition of `__consumer_offsets` that has the group."""
    return (string_hash(group) & 0x7FFFFFFF) % count

"""Log directories for copied replicas: on a broker with several, the emptiest one that accepts replicas.

Replicas are placed by size, largest first; replicas that leave a broker free their space. The source
directory of each replica is recorded, so that a rollback returns it there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kassay.certify.replicas.placed import Rows
from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.log_dirs import LogDirs

ANY: Final = "any"
"""Kafka's value for "any directory that the broker chooses"."""
Homes = Mapping[tuple[TopicPartition, int], str]
"""The directory of each replica, by partition and broker."""


@dataclass(frozen=True)
class DiskLayout:
    """The directory of each replica, and the bytes in each directory that accepts new ones."""

    homes: Homes
    filled: Mapping[int, Mapping[str, int]]

    @classmethod
    def of(cls, outputs: Iterable[LogDirs]) -> DiskLayout:
        """The layout that kafka-log-dirs prints: offline and cordoned directories accept nothing."""
        homes: dict[tuple[TopicPartition, int], str] = {}
        filled: dict[int, dict[str, int]] = {}
        for broker in (each for output in outputs for each in output.brokers):
            for directory in broker.logDirs:
                held = [replica for replica in directory.partitions if not replica.isFuture]
                homes |= {(replica.named, broker.broker): directory.logDir for replica in held}
                if directory.error is None and not directory.isCordoned:
                    sizes = sum(replica.size for replica in held)
                    filled.setdefault(broker.broker, {})[directory.logDir] = sizes
        return cls(homes, filled)

    def homes_after(self, before: Rows, after: Rows, sizes: Mapping[TopicPartition, int]) -> Homes:
        """The directories of all present replicas, and of added ones on brokers with several directories."""
        filled = {broker: dict(directories) for broker, directories in self.filled.items()}
        coming: dict[int, list[TopicPartition]] = defaultdict(list)
        for tp, row in after.items():
            for broker in set(before[tp]).difference(row):
                home = self.homes.get((tp, broker), ANY)
                if home in filled.get(broker, ()):
                    filled[broker][home] -= sizes.get(tp, 0)
            for broker in set(row).difference(before[tp]):
                coming[broker].append(tp)
        homes = dict(self.homes)
        for broker, tps in coming.items():
            directories = filled.get(broker, {})
            if len(directories) < 2:
                continue
            for tp in sorted(tps, key=lambda tp: (-sizes.get(tp, 0), tp)):
                emptiest = min(directories, key=lambda name: (directories[name], name))
                directories[emptiest] += sizes.get(tp, 0)
                homes[tp, broker] = emptiest
        return homes

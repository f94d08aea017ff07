"""Log directories for replicas that are copied: on a broker with several, the emptiest that takes new ones.

Directories are filled in the order of sizes, the largest replica first, and what leaves a broker makes room.
Which directory a replica comes from is known too, so that a way back leads there.
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
"""Kafka's word for whichever directory the broker chooses."""
Homes = Mapping[tuple[TopicPartition, int], str]
"""The directory of each replica, by partition and broker."""


@dataclass(frozen=True)
class DiskLayout:
    """Where replicas lie, and the bytes in each directory of a broker that takes new ones."""

    homes: Homes
    filled: Mapping[int, Mapping[str, int]]

    @classmethod
    def of(cls, outputs: Iterable[LogDirs]) -> DiskLayout:
        """What kafka-log-dirs says: a directory that is offline or cordoned takes nothing."""
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
        """The directories of all replicas before, and of those that come where a broker has several."""
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

"""What adapters to Python clients share: a quiet import, and the metadata that a client's leader looks at."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from types import ModuleType

from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group


def imported(name: str) -> ModuleType:
    """The library's module; what it is warned of while it loads is not our users' business.

    Raises `ImportError`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


class LeaderMetadata:
    """As much of a client's `ClusterMetadata` as its assignors ask for.

    A leader's metadata holds the topics that its group reads, and no others. They are handed over as a
    sorted list where a client has a set, so that answers do not follow the hash seed.
    """

    def __init__(self, cluster: Cluster, group: Group) -> None:
        read = group.subscribers
        self.counts: Mapping[str, int] = {topic: n for topic, n in cluster.counts.items() if topic in read}

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        """The numbers of the topic's partitions; None for a topic that is not known."""
        return set(range(self.counts[topic])) if topic in self.counts else None

    def topics(self) -> list[str]:
        """The names of the topics."""
        return sorted(self.counts)

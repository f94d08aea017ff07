"""Groups as they are seen, for tests that start from any group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from kassay.engines.watch.observation import CLASSIC, ClusterSight, GroupSight, MemberSight
from kassay.model.cluster import TopicPartition


def tps(names: Sequence[str]) -> tuple[TopicPartition, ...]:
    """Partitions such as `t-0`."""
    return tuple(TopicPartition(topic, int(n)) for topic, _, n in (name.rpartition("-") for name in names))


def sight(
    owned: Mapping[str, Sequence[str]],
    partitions: Mapping[str, int],
    *,
    name: str = "g",
    kind: str = CLASSIC,
    state: str = "Stable",
    assignor: str | None = "sticky",
    topics: Mapping[str, Sequence[str]] | None = None,
) -> GroupSight:
    """A group in which members own these partitions and, unless said otherwise, subscribe to all topics."""
    members = tuple(
        MemberSight(member, tuple((topics or {}).get(member, partitions)), tps(own))
        for member, own in sorted(owned.items())
    )
    return GroupSight(name, kind, state, assignor, members, tuple(sorted(partitions.items())))


def cluster_sight(*groups: GroupSight, dropped: int = 0, unreadable: int = 0) -> ClusterSight:
    """A cluster of one broker with these groups."""
    kinds = dict.fromkeys(("classic", "consumer", "share", "streams", "other"), 0)
    for each in groups:
        kinds[each.kind] += 1
    return ClusterSight(groups, kinds, dropped, unreadable, frozenset({1}))


class Connections:
    """Connects to clusters that are none; `opened` counts them."""

    def __init__(self) -> None:
        self.opened = self.closed = 0

    def __call__(self) -> Any:
        self.opened += 1
        return SimpleNamespace(requests=0, nodes={1: None}, close=self._close)

    def _close(self) -> None:
        self.closed += 1

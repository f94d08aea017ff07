"""Moves between two observations of a group, and how many of them the best assignment does not need.

A move is a partition that left a member who stays. A member that restarts without a `group.instance.id` has a
new id, so what it had is not moved. Rebalances between the observations are not seen: each count is the least
that happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kassay.engines.watch.figures import best_from
from kassay.engines.watch.observation import CLASSIC, CONSUMER, GroupSight
from kassay.model.cluster import TopicPartition

Owned = Mapping[str, tuple[TopicPartition, ...]]


class Moves(NamedTuple):
    """Partitions that moved, and those of them that are more than the certified optimum moves."""

    moved: int
    needless: int


def owned_by(sight: GroupSight) -> Owned:
    """What each member owns."""
    return {member.name: member.owned for member in sight.members}


def moves_between(before: Owned, sight: GroupSight) -> Moves:
    """The moves from an earlier stable observation to this one.

    Needless are those beyond what the optimum moves that starts from what the members had who stay: 0 for a
    Streams group, whose optimum is not known.
    """
    after = {member.name: frozenset(member.owned) for member in sight.members}
    counts = dict(sight.partitions)
    moved = sum(
        tp not in after[name] and tp.partition < counts.get(tp.topic, 0)
        for name, tps in before.items()
        if name in after
        for tp in tps
    )
    if not moved or sight.kind not in (CLASSIC, CONSUMER):
        return Moves(moved, 0)
    best = best_from(sight, before)
    return Moves(moved, 0 if best is None else max(0, moved - best.moves))

"""The situations of share groups, each a predicate over a rebalance that was played."""

from __future__ import annotations

from kassay.model.groups.kinds import SHARE
from kassay.model.groups.step import Rebalanced

# The order of situations decides their aims: those of all groups come first, whoever imports this first.
from kassay.properties.groups import situations as _of_all_groups  # noqa: F401
from kassay.properties.registry import situation

SHARED = ("shared-evenly", "balanced-within-one", "fewest-taken-back")


@situation("unassignable", kinds=SHARE, required_by=("complete", "assignable", *SHARED))
def unassignable(rebalanced: Rebalanced) -> bool:
    """A subscribed topic has some assignable partitions, and some that are not assignable yet."""
    step = rebalanced.steps[0]
    if step.group.assignable is None:
        return False
    counts = step.cluster.counts
    return any(0 < len(step.assignable_of(topic)) < counts.get(topic, 0) for topic in step.group.subscribers)


@situation("outnumbered", kinds=SHARE, required_by=SHARED)
def outnumbered(rebalanced: Rebalanced) -> bool:
    """Several partitions are shared by more members than partitions, and not by a multiple."""
    step = rebalanced.steps[0]
    sizes = [(len(step.assignable_of(topic)), len(ids)) for topic, ids in step.group.subscribers.items()]
    if step.group.equal_subscriptions:
        sizes = [(sum(size for size, _ in sizes), len(step.group.members))]
    return any(1 < size < readers and readers % size for size, readers in sizes)


@situation("unread-owned", kinds=SHARE, required_by=("subscribed",))
def unread_owned(rebalanced: Rebalanced) -> bool:
    """A member has partitions of a topic that no member reads any more."""
    step = rebalanced.steps[0]
    counts, subscribers = step.cluster.counts, step.group.subscribers
    return any(
        tp[0] in counts and tp[0] not in subscribers for member in step.group.members for tp in member.owned
    )

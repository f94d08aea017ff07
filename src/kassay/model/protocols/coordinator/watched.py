"""The topics of which a change makes the group look its topics up again.

Kafka keeps their names apart from the groups, by group id, and changes them where records are read. Where a
group is removed at once (by a downgrade, or empty by a JoinGroup), its tombstones are not read: its names
stay, until a group with that id subscribes to them and then no longer does, or the coordinator moves.
Source: `GroupMetadataManager.groupsByTopics`, `updateGroupsByTopics`, `onMetadataUpdate`; `removeGroup` in
`convertToClassicGroup` and `maybeDeleteEmptyStreamsGroup`.
"""

from __future__ import annotations

from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import NO_CLOCK, ConsumerGroup, CoordinatorState, Group
from kassay.model.protocols.values.requests import Image
from kassay.model.protocols.values.streams_groups import REFRESH_DUE, StreamsTaskGroup


def notice_topics(effects: Effects, state: CoordinatorState, after: Image) -> Group:
    """The group after the topics changed: it looks them up again if one of them is watched."""
    group = state.group
    if isinstance(group, StreamsTaskGroup):
        if effects.has("streams_topics_unwatched"):
            return group
    elif not isinstance(group, ConsumerGroup) or not group.refreshed:
        return group
    changed = {topic.name for topic in {*state.image} ^ {*after}}
    if changed.isdisjoint((*_watched(group, effects), *state.left_topics)):
        return group
    if isinstance(group, StreamsTaskGroup):
        return group._replace(refreshed=REFRESH_DUE)
    return group._replace(refreshed=())


def left_topics(effects: Effects, before: Group, after: Group) -> tuple[str, ...]:
    """The names that are left of removed groups, once a request or a timer has changed the group.

    Without a clock they are not tracked: looking up topics that have not changed has no effect.
    """
    left = effects.left_topics
    if before is after or effects.now == NO_CLOCK:
        return left
    if isinstance(before, ConsumerGroup | StreamsTaskGroup) and not isinstance(
        after, ConsumerGroup | StreamsTaskGroup
    ):
        left = (*left, *_watched(before, effects))
    return without_watched(effects, left, after)


def without_watched(effects: Effects, left: tuple[str, ...], group: Group) -> tuple[str, ...]:
    """The names that are left without those that the group itself watches."""
    return tuple(sorted({*left} - _watched(group, effects))) if left else left


def _watched(group: Group, effects: Effects) -> frozenset[str]:
    """The names of the topics that a group subscribes to, also by expression, or that its topology needs."""
    if isinstance(group, StreamsTaskGroup):
        return frozenset(name for topology in group.topology for name in topology.required_topics)
    if not isinstance(group, ConsumerGroup):
        return frozenset()
    names = {name for member in group.members for name in member.subscribed}
    if not effects.has("matched_topics_unwatched"):
        names |= {name for _, result in group.resolved for name in result.topics}
    return frozenset(names)

"""The topics of which a change makes the group look its topics up again.

Kafka keeps their names apart from the groups, by group id, and changes them where records are read. Where a
group is removed at once (by a downgrade, or empty by a JoinGroup), its tombstones are not read; where a
Streams group is removed by its tombstones, that of the group is read before that of the topology. Its names
stay, until a group with that id subscribes to them and then no longer does, or the coordinator moves.
Source: `GroupMetadataManager.groupsByTopics`, `updateGroupsByTopics`, `onMetadataUpdate`; `removeGroup` in
`convertToClassicGroup` and `maybeDeleteEmptyStreamsGroup`; `StreamsGroup.createGroupTombstoneRecords`
(Kafka#23552).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import NO_CLOCK, ConsumerGroup, CoordinatorState, Group
from kassay.model.protocols.values.requests import Image
from kassay.model.protocols.values.streams_groups import REFRESH_DUE, StreamsTaskGroup

Has: TypeAlias = Callable[[str], bool]
"""Whether a switch is on."""


def notice_topics(effects: Effects, state: CoordinatorState, after: Image) -> Group:
    """The group after the topics changed: it looks them up again if one of them is watched."""
    group = state.group
    if isinstance(group, StreamsTaskGroup):
        if effects.has("streams_topics_unwatched"):
            return group
    elif not isinstance(group, ConsumerGroup) or not group.refreshed:
        return group
    changed = {topic.name for topic in {*state.image} ^ {*after}}
    if changed.isdisjoint((*_watched(group, effects.has), *state.left_topics)):
        return group
    if isinstance(group, StreamsTaskGroup):
        return group._replace(refreshed=REFRESH_DUE)
    return group._replace(refreshed=())


def left_topics(effects: Effects, before: Group, after: Group) -> tuple[str, ...]:
    """The names that are left of removed groups, once a request or a timer has changed the group.

    Without a clock they are not tracked: looking up topics that have not changed has no effect.
    """
    if before is after or effects.now == NO_CLOCK:
        return effects.left_topics
    return left_behind(effects.has, effects.left_topics, before, after)


def left_behind(has: Has, left: Iterable[str], before: object, after: object) -> tuple[str, ...]:
    """The names that are left once a group of either kind has become another one, or was removed."""
    kinds = (ConsumerGroup, StreamsTaskGroup)
    stays = isinstance(before, kinds) and type(before) is type(after)
    names = {*left} if stays else {*left, *_watched(before, has)}
    return tuple(sorted(names - _watched(after, has)))


def without_watched(effects: Effects, left: tuple[str, ...], group: Group) -> tuple[str, ...]:
    """The names that are left without those that the group itself watches."""
    return tuple(sorted({*left} - _watched(group, effects.has))) if left else left


def _watched(group: object, has: Has) -> frozenset[str]:
    """The names of the topics that a group subscribes to, also by expression, or that its topology needs."""
    if isinstance(group, StreamsTaskGroup):
        return frozenset(name for topology in group.topology for name in topology.required_topics)
    if not isinstance(group, ConsumerGroup):
        return frozenset()
    names = {name for member in group.members for name in member.subscribed}
    if not has("matched_topics_unwatched"):
        names |= {name for _, result in group.resolved for name in result.topics}
    return frozenset(names)

"""Histories for names of topics that relate, such as `orders` and `orders-eu`, when one of them is gone.

A rule that finds the topic of a partition by a part of its name is right while its member reads both topics.
It is wrong once the member reads one of them, or one is deleted.
"""

from __future__ import annotations

from typing import Final

from kassay.model.cluster import Topic
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    Change,
    Crash,
    CreateTopic,
    DeleteTopic,
    Event,
    History,
    Join,
    Leave,
    Resubscribe,
    Return,
    StaticReturn,
)
from kassay.model.groups.kinds import SERVER
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.wide_cluster import first_joins, unused_name
from kassay.properties.profile import related

RELATED: Final = related("topic")
"""The dimension of a plan that gives topics names that relate."""
_NO_DELETES: Final = ("no-unknown-topics", "no-conflicting-claims")
"""The assumptions that exclude a topic that is deleted while members own its partitions."""


def named_group(history: History, profile: GroupProfile) -> History:
    """The history, at whose end a member drops each of two topics in turn while it owns partitions of it.

    Another one reads both; then, except for a broker's assignors, each topic is deleted in turn. What the
    profile excludes is left out; a history without two topics at its end stays as it is.
    """
    topics = _topics(history)
    if len(topics) < 2 or not (profile.allows("equal-subscriptions") and profile.drops):
        return history
    first, last = both = tuple(topics)[:2]
    member_id, alone = _two_members(history, both)
    end: list[Change] = [alone, (Resubscribe(member_id, (first,)),), (Resubscribe(member_id, (last,)),)]
    if profile.kind != SERVER and all(map(profile.allows, _NO_DELETES)):
        end += [(DeleteTopic(first),), (CreateTopic(topics[first]), DeleteTopic(last))]
    return History(history.cluster, (*history.changes, *end), history.reports)


def _two_members(history: History, topics: tuple[str, ...]) -> tuple[str, Change]:
    """A member, and the change after which it and another one are all that is left and read these topics."""
    present: dict[str, None] = {}
    known: dict[str, None] = {}
    for event in (event for change in history.changes for event in change):
        _follow(event, present)
        known |= present
    kept = list(present)[:2]
    events: list[Event] = [Leave(name) for name in list(present)[2:]]
    events += [Resubscribe(name, topics) for name in kept]
    rack = next((join.member.rack for join in first_joins(history)), None)
    while len(kept) < 2:
        kept.append(unused_name("n", known))
        known[kept[-1]] = None
        events.append(Join(Member(kept[-1], topics, rack=rack)))
    return kept[0], tuple(events)


def _follow(event: Event, present: dict[str, None]) -> None:
    """Who is in the group after the event."""
    match event:
        case Join(member):
            present[member.member_id] = None
        case Return(member_id):
            present[member_id] = None
        case Leave(member_id) | Crash(member_id):
            present.pop(member_id, None)
        case StaticReturn(member_id, new_member_id):
            present.pop(member_id, None)
            present[new_member_id] = None


def _topics(history: History) -> dict[str, Topic]:
    """The topics at the end, as they were made."""
    topics = dict(history.cluster.by_name)
    for event in (event for change in history.changes for event in change):
        if isinstance(event, CreateTopic):
            topics[event.topic.name] = event.topic
        elif isinstance(event, DeleteTopic):
            topics.pop(event.topic, None)
    return topics

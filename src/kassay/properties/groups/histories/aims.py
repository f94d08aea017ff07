"""Short histories that reach a situation for certain, whatever a correct target answers.

Random histories reach the rare situations late, some of them in one run of ten. What each recipe leaves open
(sizes, names, pasts, racks, configurations) is drawn from the source like everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Final

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    AddPartitions,
    Change,
    CreateTopic,
    DeleteTopic,
    Event,
    FailedSync,
    History,
    Leave,
    NewLeader,
    Rebalance,
    ReportOwned,
    Resubscribe,
    StaticReturn,
    Withhold,
)
from kassay.model.groups.kinds import CLIENT
from kassay.properties.groups.histories.generator import GENERATION, RACKS, GeneratorState, GroupProfile
from kassay.properties.groups.histories.scenarios import UNKNOWN, brokers, habits, owning, reports
from kassay.properties.groups.situations import MIXES
from kassay.properties.sources import Source

Recipe = Callable[[GeneratorState], History]

GROWN_TO: Final = 6
GROWN_FROM: Final = 2 * GROWN_TO
"""Partitions of the first growth: enough that, whoever joins, a member has two more than the newcomer."""

AIMS: Final[dict[str, str]] = {}
"""The recipe that reaches a situation (or a part of one), by the situation's name."""
_RECIPES: Final[dict[str, Recipe]] = {}


def aimed_history(source: Source, profile: GroupProfile, aim: str) -> History:
    """A history by the recipe called `aim`; raises `KeyError` where there is none."""
    draft = habits(source, profile, racked=profile.racked, weighted=profile.weighted)
    history = _RECIPES[aim](draft)
    if source.boolean(profile.quiet):
        history = replace(history, changes=(*history.changes, (Rebalance(),)))
    if profile.leads and draft.members:
        last: Change = (NewLeader(source.choice(list(draft.members))),)
        history = replace(history, changes=(*history.changes, last))
    return history


def _reaches(*names: str) -> Callable[[Recipe], Recipe]:
    """Register the recipe under the first of the situations that it reaches, for all of them."""

    def register(recipe: Recipe) -> Recipe:
        _RECIPES[names[0]] = recipe
        AIMS.update(dict.fromkeys(names, names[0]))
        return recipe

    return register


def _with_topics(draft: GeneratorState, sizes: Iterable[int]) -> tuple[str, ...]:
    """The names of new topics of these sizes, with racks and weights where the history has them."""
    for number, size in enumerate(sizes):
        draft.topics[f"t{number}"] = draft.with_extras(Topic(f"t{number}", size))
    return tuple(draft.topics)


def _start(draft: GeneratorState, members: list[Member], *changes: Change) -> History:
    """The history in which these members join at once, followed by the changes, on the first topics."""
    cluster = Cluster(tuple(draft.topics.values()), brokers(draft))
    return _history(draft, cluster, [tuple([draft.join(member) for member in members]), *changes])


def _history(draft: GeneratorState, cluster: Cluster, changes: list[Change]) -> History:
    return History(cluster, tuple(changes), reports(draft.source, draft.profile))


def _readers(draft: GeneratorState, topics: tuple[str, ...], least: int = 2, most: int = 4) -> list[Member]:
    """Members without a past that all read these topics."""
    return [draft.new_member(topics) for _ in range(draft.source.integer(least, most))]


def _grows(recipe: int) -> Recipe:
    """Growth from one to six members, a round each, over `GROWN_FROM + recipe` partitions."""

    def grow(draft: GeneratorState) -> History:
        source = draft.source
        sizes = [source.integer(1, 5), source.integer(1, 5)]
        topics = _with_topics(draft, [*sizes, GROWN_FROM + recipe - sum(sizes)])
        cluster = Cluster(tuple(draft.topics.values()), brokers(draft))
        may_be_static = draft.profile.kind is CLIENT and draft.profile.allows("no-static")
        mix: list[bool | None] = [may_be_static and letter == "S" for letter in MIXES[recipe]]
        mix += [None] * (GROWN_TO - len(mix))
        return _history(draft, cluster, [(draft.join(draft.new_member(topics, static)),) for static in mix])

    return grow


for _number, _mix in enumerate(MIXES):
    _partitions = GROWN_FROM + _number
    _residues = [f"residue:{_partitions % size}mod{size}" for size in range(2, GROWN_TO + 1)]
    # A residue that an earlier growth reaches belongs to that one.
    _fresh = [name for name in _residues if name not in AIMS]
    _reaches(f"static-mix:{_mix}", *_fresh, *(() if _number else ("one-by-one",)))(_grows(_number))


def _subscribing(draft: GeneratorState, subscriptions: list[tuple[str, ...]]) -> History:
    """Members with these subscriptions, with a past without conflicts."""
    return _start(draft, owning(draft, [draft.new_member(topics) for topics in subscriptions]))


def _some_topics(draft: GeneratorState, count: int) -> tuple[str, ...]:
    """The names of `count` new topics, none of them large."""
    return _with_topics(draft, [draft.source.integer(1, 4) for _ in range(count)])


@_reaches("chain", "leader-differs")
def _chain(draft: GeneratorState) -> History:
    """Overlapping windows over topics."""
    topics = _some_topics(draft, draft.source.integer(4, 6))
    return _subscribing(draft, list(pairwise(topics)))


@_reaches("nested")
def _nested(draft: GeneratorState) -> History:
    """Each member reads what the one before reads, or more; the first reads one topic, the last reads all."""
    source = draft.source
    topics = _some_topics(draft, source.integer(2, 4))
    between = sorted(source.integer(1, len(topics)) for _ in range(source.integer(0, 3)))
    return _subscribing(draft, [topics[:length] for length in (1, *between, len(topics))])


@_reaches("pyramid")
def _pyramid(draft: GeneratorState) -> History:
    """The first i topics for the i-th member."""
    topics = _some_topics(draft, draft.source.integer(3, 5))
    return _subscribing(draft, [topics[: i + 1] for i in range(len(topics))])


@_reaches("disjoint")
def _disjoint(draft: GeneratorState) -> History:
    """A topic for each member."""
    topics = _some_topics(draft, draft.source.integer(2, 5))
    return _subscribing(draft, [(topic,) for topic in topics])


@_reaches("tiny-topics", "few-partitions")
def _tiny(draft: GeneratorState) -> History:
    """Several topics of one partition, and perhaps a larger one, for a few members."""
    source = draft.source
    topics = _with_topics(draft, [1] * source.integer(3, 5) + [3] * source.boolean())
    return _start(draft, owning(draft, _readers(draft, topics)))


@_reaches("equal-topics")
def _equal_topics(draft: GeneratorState) -> History:
    """Topics of equal size and readers, which then change."""
    topics = _with_topics(draft, [draft.source.integer(2, 5)] * draft.source.integer(2, 3))
    members = _readers(draft, topics)
    return _start(draft, members, (draft.join(draft.new_member(topics)),))


@_reaches("racks-against")
def _racks_against(draft: GeneratorState) -> History:
    """Every partition has one replica, and was owned by a member of another rack; then topics are added.

    New partitions have no previous owner, so that racks alone decide where they go.
    """
    source = draft.source
    size = source.integer(2, 3)
    count = size * source.integer(1, 2) + 1
    first = source.integer(0, len(RACKS) - 1)
    at = [(first + number) % len(RACKS) for number in range(count)]
    topics = tuple(Topic(f"t{i}", count, tuple((broker,) for broker in at)) for i in range(2))
    draft.topics = {topic.name: topic for topic in topics}
    names = tuple(draft.topics)
    members = [draft.new_member(names)._replace(rack=RACKS[number]) for number in range(size)]
    owned: list[list[TopicPartition]] = [[] for _ in members]
    for name, number in ((name, number) for name in names for number in range(count)):
        far = [i for i, member in enumerate(members) if member.rack != RACKS[at[number]]]
        owned[source.choice(far)].append(TopicPartition(name, number))
    members = [m._replace(owned=tuple(own), generation=GENERATION) for m, own in zip(members, owned)]
    cluster = Cluster(topics, tuple(Broker(i, rack) for i, rack in enumerate(RACKS)))
    changes: list[Change] = [tuple([draft.join(member) for member in members])]
    for number in range(2, 6):
        fresh = topics[0]._replace(name=f"t{number}")
        names = (*names, fresh.name)
        changes.append((CreateTopic(fresh), *(Resubscribe(m.member_id, names) for m in members)))
    return _history(draft, cluster, changes)


@_reaches("weights")
def _weights(draft: GeneratorState) -> History:
    """A topic in which one partition outweighs the others, and others of any weights."""
    source = draft.source
    draft.weighted = True
    count = source.integer(3, 7)
    heavy = Topic("heavy", count, weights=(50, *draft.new_weights(count - 2), 1))
    draft.topics = {"heavy": heavy}
    topics = _some_topics(draft, source.integer(0, 2))
    members = owning(draft, _readers(draft, topics))
    return _start(draft, members, (draft.join(draft.new_member(topics)),))


@_reaches("duplicate-topic")
def _duplicate(draft: GeneratorState) -> History:
    """One of several members lists a topic twice."""
    topics = _some_topics(draft, draft.source.integer(1, 3))
    members = _readers(draft, topics, 2, 3)
    members[-1] = members[-1]._replace(topics=(*topics, topics[0]))
    return _start(draft, owning(draft, members))


@_reaches("partitions-added")
def _partitions_added(draft: GeneratorState) -> History:
    """A topic grows, and grows again."""
    source = draft.source
    count = source.integer(2, 5)
    topics = _with_topics(draft, [count] * source.integer(1, 2))
    more = [count + source.integer(1, 3)]
    more.append(more[0] + source.integer(1, 3))
    return _start(draft, _readers(draft, topics), *((AddPartitions(topics[0], size),) for size in more))


@_reaches("no-change")
def _no_change(draft: GeneratorState) -> History:
    """Nothing happens after the start, after a member joined, and after one left."""
    topics = _some_topics(draft, draft.source.integer(1, 3))
    members = _readers(draft, topics, 2, 3)
    quiet: Change = (Rebalance(),)
    joins: Change = (draft.join(draft.new_member(topics)),)
    return _start(draft, members, quiet, joins, quiet, (Leave(members[0].member_id),), quiet)


@_reaches("leader-changed")
def _leader_changed(draft: GeneratorState) -> History:
    """Each of several members leads once; then one joins, and each leads once more."""
    source = draft.source
    topics = _some_topics(draft, source.integer(1, 3))
    members = _readers(draft, topics, 2, 4)
    turns: list[Change] = [(NewLeader(member.member_id),) for member in members[::-1]]
    joins: Change = (draft.join(draft.new_member(topics)),)
    return _start(draft, owning(draft, members), *turns, joins, *turns)


@_reaches("static-return")
def _static_return(draft: GeneratorState) -> History:
    """Static members return under new ids, one at a time, and then once more."""
    topics = _some_topics(draft, draft.source.integer(2, 3))
    members = [draft.new_member(topics, static=True) for _ in range(3)]
    ids = [*(member.member_id for member in members), *(draft.new_id() for _ in range(6))]
    returns = [(StaticReturn(old, new),) for old, new in zip(ids, ids[3:])]
    return _start(draft, members, *returns)


def _three_owners(draft: GeneratorState) -> list[Member]:
    """Three members that share one or two topics, in the last generation, two partitions each or more."""
    sizes = [draft.source.integer(3, 4) for _ in range(2)]
    topics = _with_topics(draft, sizes)
    tps = draft.tps(topics)
    members = [draft.new_member(topics) for _ in range(3)]
    return [m._replace(owned=tuple(tps[i::3]), generation=GENERATION) for i, m in enumerate(members)]


@_reaches("skipped-generation")
def _skipped_generation(draft: GeneratorState) -> History:
    """One of three members still has the list of an earlier generation."""
    members = _three_owners(draft)
    late = draft.source.integer(0, 2)
    members[late] = members[late]._replace(generation=draft.source.integer(1, GENERATION - 1))
    return _start(draft, members)


@_reaches("owned-twice")
def _owned_twice(draft: GeneratorState) -> History:
    """Two of three members report a partition in the same generation."""
    return _start(draft, _doubly(draft, _three_owners(draft)))


def _doubly(draft: GeneratorState, members: list[Member]) -> list[Member]:
    """The members, the first of which also reports a partition of another one as owned."""
    first, other = members[0], members[draft.source.integer(1, len(members) - 1)]
    return [first._replace(owned=(*first.owned, draft.source.choice(other.owned))), *members[1:]]


@_reaches("all-minus-one")
def _all_minus_one(draft: GeneratorState) -> History:
    """Two of three members report a partition, and none reports a generation."""
    return _start(draft, [m._replace(generation=-1) for m in _doubly(draft, _three_owners(draft))])


@_reaches("stale-on-overloaded")
def _stale_on_overloaded(draft: GeneratorState) -> History:
    """One member owns nearly all, and another reports a part of it from an earlier generation."""
    source = draft.source
    topics = _with_topics(draft, [source.integer(4, 7)])
    tps = tuple(draft.tps(topics))
    members = _readers(draft, topics, 3, 4)
    members[0] = members[0]._replace(owned=tps[:-1], generation=GENERATION)
    stale = tps[: source.integer(1, 2)]
    members[1] = members[1]._replace(owned=stale, generation=source.integer(1, GENERATION - 1))
    return _start(draft, members)


@_reaches("failed-sync")
def _failed_sync(draft: GeneratorState) -> History:
    """A member's sync fails while another one joins; then this happens to another member."""
    members = _three_owners(draft)
    topics = members[0].topics
    failing = [members[0], members[draft.source.integer(1, 2)]]
    changes: list[Change] = [
        (FailedSync(member.member_id), draft.join(draft.new_member(topics))) for member in failing
    ]
    return _start(draft, members, *changes)


@_reaches("owned-and-resubscribe")
def _claim_and_resubscribe(draft: GeneratorState) -> History:
    """Two members report the same partitions while one of the group, or all, read other topics."""
    source = draft.source
    members = _three_owners(draft)
    topics = members[0].topics
    owned = tuple(draft.tps(topics)[: source.integer(1, 4)])
    events: list[Event] = [ReportOwned(member.member_id, owned, GENERATION + 1) for member in members[:2]]
    alone = draft.profile.allows("equal-subscriptions")
    events += [Resubscribe(m.member_id, topics[:1]) for m in (members[2:] if alone else members)]
    return _start(draft, members, tuple(events))


@_reaches("deleted-topic")
def _deleted_topic(draft: GeneratorState) -> History:
    """A topic that members own and read is deleted."""
    members = _three_owners(draft)
    return _start(draft, members, (DeleteTopic(draft.source.choice(members[0].topics)),))


@_reaches("unknown-topic")
def _unknown_topic(draft: GeneratorState) -> History:
    """One member, or all, read a topic that never existed."""
    topics = _some_topics(draft, draft.source.integer(1, 2))
    members = _readers(draft, topics, 2, 3)
    alone = draft.profile.allows("equal-subscriptions")
    reading = len(members) - 1 if alone else 0
    members = [m._replace(topics=(*topics, UNKNOWN)) if i >= reading else m for i, m in enumerate(members)]
    return _start(draft, owning(draft, members))


@_reaches("empty-subscription")
def _empty_subscription(draft: GeneratorState) -> History:
    """One of several members reads nothing."""
    topics = _some_topics(draft, draft.source.integer(1, 3))
    members = _readers(draft, topics, 2, 4)
    idle = draft.source.integer(0, len(members) - 1)
    members[idle] = members[idle]._replace(topics=())
    return _start(draft, owning(draft, members))


@_reaches("unassignable")
def _unassignable(draft: GeneratorState) -> History:
    """Some partitions are not assignable yet; then they are, and then a member joins."""
    source = draft.source
    topics = _with_topics(draft, [source.integer(3, 5) for _ in range(source.integer(1, 2))])
    numbers = tuple(range(source.integer(1, 2)))
    start = _start(draft, _readers(draft, topics, 2, 5))
    changes: list[Change] = [(*start.changes[0], Withhold(topics[0], numbers)), (Withhold(topics[0], ()),)]
    return replace(start, changes=(*changes, (draft.join(draft.new_member(topics)),)))


@_reaches("outnumbered")
def _outnumbered(draft: GeneratorState) -> History:
    """More members than partitions, in numbers that do not divide; then one leaves and another joins."""
    source = draft.source
    size = source.integer(2, 3)
    topics = _with_topics(draft, [size])
    count = size * source.integer(1, 2) + 1
    members = owning(draft, _readers(draft, topics, count, count))
    joins: Change = (draft.join(draft.new_member(topics)),)
    return _start(draft, members, joins, (Leave(source.choice(members).member_id),))


@_reaches("unread-owned")
def _unread_owned(draft: GeneratorState) -> History:
    """A topic that members own loses all its readers, and perhaps not all members read the same."""
    topics = _some_topics(draft, 3)
    members = _readers(draft, topics, 2, 4)
    alone = draft.profile.allows("equal-subscriptions")
    first = Resubscribe(members[0].member_id, topics[:1])
    others = [Resubscribe(m.member_id, topics[::2] if alone else topics[:1]) for m in members[1:]]
    return _start(draft, members, (first, *others), (Rebalance(),))

"""Wide histories of groups: very many members, topics, partitions or rounds, and numbers at their ends.

Sizes make a history of their own, small in everything else; ranges change a history so that it has a value:
those of the members are here, those of the cluster in `wide_cluster`.
Sources: the schemas of JoinGroup, SyncGroup and the consumer protocol, `Topic`, `PartitionInfo`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    Change,
    Event,
    History,
    Join,
    Leave,
    Rebalance,
    ReportOwned,
)
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.model.kinds import Kind
from kassay.properties.groups.histories.generator import GeneratorState
from kassay.properties.groups.histories.scenarios import brokers
from kassay.properties.groups.wide_cluster import (
    ASSIGNABLE,
    GLUED,
    JOINED,
    RACK_RANGES,
    RECREATED,
    TOPIC_LIVES,
    WEIGHT,
    first_joins,
    unused_name,
    with_members,
)
from kassay.properties.sources import Source
from kassay.properties.wide.ranges import SMALL_SIZES, Size, WideRange

MIDDLING: Final = 8
EACH_MAX: Final = 257
"""The largest number of members that can get a partition each."""
EQUAL_FROM: Final = 17
_MOST_ROUNDS: Final = 65
"""A history has at most so many rounds: a longer life of one object is a run of its own."""
SIZES: Final = (
    Size("members", lambda history: len(first_joins(history))),
    Size("topics", lambda history: len(history.cluster.topics)),
    Size("partitions of a topic", lambda history: max(topic.partitions for topic in history.cluster.topics)),
    Size(
        "rounds",
        lambda history: len(history.changes),
        _MOST_ROUNDS,
        "more calls of one object are a history of their own",
    ),
)


def sized_history(draft: GeneratorState, sizes: Mapping[str, int]) -> History:
    """A history with these sizes and everything else minimal: joins, then a change or two."""
    source = draft.source
    members, width = sizes.get("members", 2), sizes.get("topics", 2)
    partitions = sizes.get("partitions of a topic") or _few_partitions(source, members)
    names = [f"t{number}" for number in range(width)]
    rest = source.choice((1, 2)) if partitions > 1 else 1
    counts = [partitions, *(rest for _ in names[1:])]
    draft.topics = {
        name: draft.with_extras(Topic(name, count)) for name, count in zip(names, counts, strict=True)
    }
    topics = tuple(draft.topics.values())
    static = draft.profile.static == 1 or None
    joined = [draft.new_member(own, static) for own in _subscriptions(draft, names, members)]
    changes: list[Change] = [tuple(draft.join(member) for member in joined)]
    rounds = sizes.get("rounds", 2)
    while len(changes) < rounds:
        changes.append(_replaced(draft, len(changes)))
    return History(Cluster(topics, brokers(draft)), tuple(changes))


def _few_partitions(source: Source, members: int) -> int:
    """Partitions to go with so many members: very few, one each, or one more.

    With more than 257 members there are few: a rule that compares each member with each partition would take
    a second, and a slow rule is not a wrong one.
    """
    if members < MIDDLING:
        return source.choice((2, 3))
    return source.choice((members, members + 1, 2)) if members <= EACH_MAX else source.choice((2, 34))


def _subscriptions(draft: GeneratorState, names: list[str], members: int) -> list[tuple[str, ...]]:
    """All topics for every member; where subscriptions may differ and none is large, at times a window."""
    everything = tuple(names)
    # A large size comes once in many cases, and claims about equal subscriptions need it too.
    counts = (members, len(names), *(topic.partitions for topic in draft.topics.values()))
    large = max(counts) > EQUAL_FROM
    if large or not draft.profile.allows("equal-subscriptions") or draft.source.boolean(0.75):
        return [everything] * members
    width = max(1, len(names) // 2)
    return [(everything * 2)[number % len(names) :][:width] for number in range(members)]


def _replaced(draft: GeneratorState, turn: int) -> Change:
    """One member leaves, and in later rounds another joins instead: ever new ids over a life."""
    oldest = next(iter(draft.members))
    topics = draft.members[oldest]
    if len(draft.members) > 1 and turn % 2:
        del draft.members[oldest]
        return (Leave(oldest),)
    return (draft.join(draft.new_member(topics)),)


_GENERATIONS: Final = {
    str(value): value for value in (127, 128, 255, 256, 32_767, 32_768, 65_536, 2**24 + 1, 2**31 - 1_000)
}


def _widen_generation(history: History, wanted: str, _: Source) -> History:
    """All generations moved up by the same number; a first member reports one if none does."""
    value = _GENERATIONS[wanted]
    reported = [join.member.generation for join in first_joins(history)]
    known = max(reported, default=-1)
    if known < 0:
        return with_members(
            history, lambda number, member: member if number else member._replace(generation=value)
        )
    more = value - known

    def moved(event: Event) -> Event:
        if isinstance(event, ReportOwned) and event.generation >= 0:
            return replace(event, generation=event.generation + more)
        if isinstance(event, Join) and event.member.generation >= 0:
            member = event.member._replace(generation=event.member.generation + more)
            return replace(event, member=member)
        return event

    return replace(history, changes=tuple(tuple(map(moved, events)) for events in history.changes))


def _generation_seen(history: History, wanted: str) -> bool:
    return max((j.member.generation for j in first_joins(history)), default=-1) == _GENERATIONS[wanted]


_ORDERS: Final = ("reversed", "rotated")


def _turned(items: tuple[str, ...], wanted: str, number: int) -> tuple[str, ...]:
    if wanted == "reversed":
        return tuple(sorted(set(items), reverse=True)) if number % 2 == 0 else items
    turn = number % max(1, len(items))
    return (*items[turn:], *items[:turn])


def _widen_topic_order(history: History, wanted: str, _: Source) -> History:
    """Subscriptions whose topics are not sorted, and not in the same order for every member."""
    return with_members(history, lambda n, m: m._replace(topics=_turned(m.topics, wanted, n + 1)))


def _topic_order_seen(history: History, _: str) -> bool:
    return any(list(join.member.topics) != sorted(join.member.topics) for join in first_joins(history))


def _widen_owned_order(history: History, wanted: str, _: Source) -> History:
    """Owned partitions that are not reported in order; the first member owns two where none does."""
    if all(len(join.member.owned) < 2 for join in first_joins(history)):
        history = _owning_two(history)

    def turned(_: int, member: Member) -> Member:
        owned = member.owned
        return member._replace(owned=owned[::-1] if wanted == "reversed" else (*owned[1:], *owned[:1]))

    return with_members(history, turned)


def _owning_two(history: History) -> History:
    """The history whose first reader of a topic owns its first two partitions."""
    pairs = {t.name: (TopicPartition(t.name, 0), TopicPartition(t.name, 1)) for t in history.cluster.topics}
    large = {t.name for t in history.cluster.topics if t.partitions > 1}
    owners = [
        (number, topic)
        for number, join in enumerate(first_joins(history))
        for topic in join.member.topics
        if topic in large
        and not any(tp in pairs[topic] for j in first_joins(history) for tp in j.member.owned)
    ]
    if not owners:
        return history
    owner, topic = owners[0]
    return with_members(
        history,
        lambda n, m: m._replace(owned=(*m.owned, *pairs[topic]), generation=3) if n == owner else m,
    )


def _owned_order_seen(history: History, _: str) -> bool:
    return any(list(j.member.owned) != sorted(j.member.owned) for j in first_joins(history))


_STATIC: Final = ("all", "some")


def _widen_static(history: History, wanted: str, source: Source) -> History:
    """Static members: all of the first ones, or every second."""

    def static(number: int, member: Member) -> Member:
        is_static = wanted == "all" or number % 2 == 0
        # The digit in front makes the order of instance ids differ from that of member ids.
        own = member.instance_id or f"i{9 - number % 10}-{number + 100}"
        return member._replace(instance_id=own if is_static else None)

    history = with_members(history, static)
    left = [join.member for join in first_joins(history) if join.member.instance_id]
    if source.boolean() and left:
        back = left[-1]._replace(member_id=back_id(left[-1]), owned=(), generation=-1)
        more: tuple[Change, ...] = ((Leave(left[-1].member_id),), (Join(back),))
        history = replace(history, changes=(*history.changes, *more))
    return history


def back_id(member: Member) -> str:
    """The member id of a static member after its restart."""
    return f"{member.member_id}x"


def _static_seen(history: History, wanted: str) -> bool:
    static = [join.member.instance_id is not None for join in first_joins(history)]
    return any(static) and (all(static) if wanted == "all" else not all(static))


_MEMBER_LIVES: Final = ("back with its id", "all replaced", "all leave and return", "leader replaced")


def _widen_member_life(history: History, wanted: str, _: Source) -> History:
    """Members that leave for good and join again as they were, one by one or all at once."""
    members = [join.member for join in first_joins(history)]
    if not members:
        return history
    fresh = [m._replace(owned=(), generation=-1) for m in members]
    other = [m._replace(member_id=f"n{i}", instance_id=None) for i, m in enumerate(fresh)]
    lives: dict[str, tuple[Change, ...]] = {
        "back with its id": ((Leave(members[-1].member_id),), (Join(fresh[-1]),)),
        "all replaced": ((*(Leave(m.member_id) for m in members), *map(Join, other)),),
        "all leave and return": (tuple(Leave(m.member_id) for m in members), tuple(map(Join, fresh))),
        "leader replaced": ((Leave(members[0].member_id), Join(other[0])), (Rebalance(),)),
    }
    return replace(history, changes=(*history.changes, *lives[wanted]))


def _member_life_seen(history: History, wanted: str) -> bool:
    left: set[str] = set()
    back = replaced = False
    for change in history.changes:
        gone = {event.member_id for event in change if isinstance(event, Leave)}
        new = {event.member.member_id for event in change if isinstance(event, Join)}
        replaced = replaced or bool(gone and new)
        back = back or bool(new & left)
        left |= gone
    return back if wanted in ("back with its id", "all leave and return") else replaced


_CONFLICTS: Final = ("two owners", "a partition that is gone", "a topic not subscribed")


def _widen_conflict(history: History, wanted: str, _: Source) -> History:
    """Targets as the migration of a classic group can leave them: contradictory, or of other topics."""
    if not history.cluster.topics:
        return history
    topic = history.cluster.topics[0]
    tp = TopicPartition(topic.name, topic.partitions if wanted == "a partition that is gone" else 0)

    def owning(number: int, member: Member) -> Member:
        if number > 1 or tp in member.owned or (wanted != "two owners" and number):
            return member
        topics = member.topics
        if wanted == "a topic not subscribed":
            topics = tuple(name for name in topics if name != topic.name)
        elif topic.name not in topics:
            topics = (*topics, topic.name)
        return member._replace(owned=(*member.owned, tp), topics=topics, generation=max(member.generation, 3))

    return with_members(history, owning)


def _conflict_seen(history: History, wanted: str) -> bool:
    members = [join.member for join in first_joins(history)]
    counts = {topic.name: topic.partitions for topic in history.cluster.topics}
    owned = [tp for member in members for tp in member.owned]
    if wanted == "two owners":
        return len(set(owned)) < len(owned)
    if wanted == "a partition that is gone":
        return any(tp.partition >= counts.get(tp.topic, 0) for tp in owned)
    return any(tp.topic not in member.topics for member in members for tp in member.owned)


_BOUNDARIES: Final = {f"{below:,} and {below + 1:,}": below for below in (127, 255, 32_767, 65_535, 2**24)}


def _widen_stale_owned(history: History, wanted: str, _: Source) -> History:
    """Two members report the same partitions, the second from the generation before a boundary."""
    below = _BOUNDARIES[wanted]
    members = [join.member for join in first_joins(history)]
    both = [topic for topic in history.cluster.topics if all(topic.name in m.topics for m in members[:2])]
    if len(members) < 2 or not both:
        return history
    owned = tuple(TopicPartition(both[0].name, p) for p in range(min(2, both[0].partitions)))

    def owning(number: int, member: Member) -> Member:
        if number < 2:
            return member._replace(owned=owned, generation=below + 1 - number)
        return member._replace(owned=(), generation=-1)

    history = with_members(history, owning)
    # Later reports would be of generations that were long ago.
    changes = (tuple(e for e in change if not isinstance(e, ReportOwned)) for change in history.changes)
    return replace(history, changes=tuple(changes))


def _stale_owned_seen(history: History, wanted: str) -> bool:
    below = _BOUNDARIES[wanted]
    of = [
        {tp for j in first_joins(history) if j.member.generation == g for tp in j.member.owned}
        for g in (below, below + 1)
    ]
    return not of[0].isdisjoint(of[1])


_ALONE: Final = {"1 of 9": 9, "1 of 17": 17, "1 of 65": 65}


def _widen_alone(history: History, wanted: str, _: Source) -> History:
    """Of many members one alone reads the largest topic, which has two partitions for each of them."""
    number = _ALONE[wanted]
    first = [join.member for join in first_joins(history)]
    if not first or not history.cluster.topics:
        return history
    pattern = history.cluster.topics[0]
    large = pattern.with_partitions(2 * number)._replace(name=unused_name("large", history.cluster.by_name))
    cluster = history.cluster.with_topics((*history.cluster.topics, large))
    used = {member.member_id for member in first}
    names = (name for name in (f"n{i}" for i in range(number + len(used))) if name not in used)
    others = [
        Join(Member(name, (pattern.name,), rack=first[0].rack))
        for name, _ in zip(names, range(number - len(first)))
    ]
    history = replace(
        history, cluster=cluster, changes=((*history.changes[0], *others), *history.changes[1:])
    )
    return with_members(
        history, lambda n, member: member if n else member._replace(topics=(*member.topics, large.name))
    )


def _alone_seen(history: History, wanted: str) -> bool:
    number = _ALONE[wanted]
    members = [join.member for join in first_joins(history)]
    read = Counter(name for member in members for name in set(member.topics))
    return len(members) >= number and any(
        topic.partitions >= 2 * number and read[topic.name] == 1 for topic in history.cluster.topics
    )


_MOVING: Final = {"13": 13, "33": 33, "65": 65, "257": 257}


def _widen_moving(history: History, wanted: str, _: Source) -> History:
    """The first member owns all partitions of a topic that all members read: half of them or more move."""
    if len(first_joins(history)) < 2 or not history.cluster.topics:
        return history
    count = 2 * _MOVING[wanted]
    name = unused_name("moving", history.cluster.by_name)
    topic = history.cluster.topics[0].with_partitions(count)._replace(name=name)
    history = replace(history, cluster=history.cluster.with_topics((*history.cluster.topics, topic)))
    owned = tuple(TopicPartition(name, p) for p in range(count))
    latest = max(3, *(join.member.generation for join in first_joins(history)))

    def reading(number: int, member: Member) -> Member:
        member = member._replace(topics=(*member.topics, name))
        return member if number else member._replace(owned=(*member.owned, *owned), generation=latest)

    return with_members(history, reading)


def _moving_seen(history: History, wanted: str) -> bool:
    readers = Counter(name for join in first_joins(history) for name in set(join.member.topics))
    owned = [Counter(tp.topic for tp in join.member.owned) for join in first_joins(history)]
    return any(n >= 2 * _MOVING[wanted] and readers[t] > 1 for each in owned for t, n in each.items())


GENERATION: Final = WideRange(
    "generations", tuple(_GENERATIONS), _widen_generation, _generation_seen, "JoinGroupResponse.generationId"
)
ORDERS: Final = (
    WideRange(
        "orders of subscriptions",
        _ORDERS,
        _widen_topic_order,
        _topic_order_seen,
        "ConsumerProtocolSubscription",
    ),
    WideRange(
        "orders of owned partitions",
        _ORDERS,
        _widen_owned_order,
        _owned_order_seen,
        "ConsumerProtocolSubscription",
    ),
)
STATIC: Final = WideRange(
    "static members",
    _STATIC,
    _widen_static,
    _static_seen,
    "JoinGroupRequest.validateGroupInstanceId",
    frozenset({"no-static"}),
)
MEMBER_LIVES: Final = WideRange(
    "lives of members", _MEMBER_LIVES, _widen_member_life, _member_life_seen, "LeaveGroup"
)
CONFLICTS: Final = WideRange(
    "targets after a migration",
    _CONFLICTS,
    _widen_conflict,
    _conflict_seen,
    "ConsumerGroup.fromClassicGroup",
    frozenset({"no-conflicting-claims", "equal-subscriptions"}),
    apart=True,
)
STALE_OWNED: Final = WideRange(
    "generations of one owned partition",
    tuple(_BOUNDARIES),
    _widen_stale_owned,
    _stale_owned_seen,
    "ConsumerProtocolSubscription.generationId",
    frozenset({"no-conflicting-claims"}),
)
ALONE: Final = WideRange(
    "readers of the largest topic",
    tuple(_ALONE),
    _widen_alone,
    _alone_seen,
    "ConsumerProtocolSubscription.topics",
    frozenset({"equal-subscriptions", SMALL_SIZES}),
    apart=True,
)
MOVING: Final = WideRange(
    "partitions that must move at once",
    tuple(_MOVING),
    _widen_moving,
    _moving_seen,
    "ConsumerProtocolSubscription.ownedPartitions",
    frozenset({SMALL_SIZES}),
)


def ranges_of(kind: Kind) -> tuple[WideRange, ...]:
    """The ranges of what a target of the kind sees."""
    common = (GENERATION, MEMBER_LIVES, *ORDERS, *RACK_RANGES, JOINED, ALONE, MOVING)
    if kind == CLIENT:
        return (*common, STATIC, WEIGHT, TOPIC_LIVES, STALE_OWNED)
    return (
        (*common, STATIC, TOPIC_LIVES, CONFLICTS)
        if kind == SERVER
        else (*common, TOPIC_LIVES, RECREATED, GLUED, ASSIGNABLE)
    )

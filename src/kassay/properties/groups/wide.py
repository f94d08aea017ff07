"""Wide histories of groups: very many members, topics, partitions or rounds, and numbers at their ends.

Sizes make a history of their own, small in everything else; ranges change a history so that it has a value.
Sources: the schemas of JoinGroup, SyncGroup and the consumer protocol, `Topic`, `PartitionInfo`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    Change,
    ChangeRack,
    CreateTopic,
    DeleteTopic,
    Event,
    History,
    Join,
    Leave,
    OwnedClaim,
    RackBroker,
    Rebalance,
    Withhold,
)
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.model.kinds import Kind
from kassay.properties.groups.histories.generator import GeneratorState
from kassay.properties.groups.histories.scenarios import brokers
from kassay.properties.sources import Source
from kassay.properties.wide.ranges import PLAIN_NAMES, SMALL_SIZES, Size, WideRange

_RACKED: Final = frozenset({"no-racks"})
MIDDLING: Final = 8
EACH_MAX: Final = 257
"""The largest number of members that can get a partition each."""
EQUAL_FROM: Final = 17
_MOST_ROUNDS: Final = 65
"""A history has at most so many rounds: a longer life of one object is a run of its own."""


def _first(history: History) -> tuple[Join, ...]:
    return tuple(event for event in history.changes[0] if isinstance(event, Join)) if history.changes else ()


def _topics(history: History) -> tuple[Topic, ...]:
    created = (e.topic for change in history.changes for e in change if isinstance(e, CreateTopic))
    return (*history.cluster.topics, *created)


SIZES: Final = (
    Size("members", lambda history: len(_first(history))),
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


# Ranges


def _with_members(history: History, change: Callable[[int, Member], Member]) -> History:
    """The history with its first members changed, each by its number."""
    first = [
        replace(event, member=change(number, event.member)) if isinstance(event, Join) else event
        for number, event in enumerate(history.changes[0])
    ]
    return replace(history, changes=(tuple(first), *history.changes[1:]))


def _with_topics(history: History, change: Callable[[Topic], Topic]) -> History:
    """The history with all topics changed, those that are created later too."""

    def event(old: Event) -> Event:
        return CreateTopic(change(old.topic)) if isinstance(old, CreateTopic) else old

    cluster = history.cluster.with_topics(map(change, history.cluster.topics))
    return replace(
        history, cluster=cluster, changes=tuple(tuple(map(event, events)) for events in history.changes)
    )


_GENERATIONS: Final = {
    str(value): value for value in (127, 128, 255, 256, 32_767, 32_768, 65_536, 2**24 + 1, 2**31 - 1_000)
}


def _widen_generation(history: History, wanted: str, _: Source) -> History:
    """All generations moved up by the same number; a first member reports one if none does."""
    value = _GENERATIONS[wanted]
    reported = [join.member.generation for join in _first(history)]
    known = max(reported, default=-1)
    if known < 0:
        return _with_members(
            history, lambda number, member: member if number else member._replace(generation=value)
        )
    more = value - known

    def moved(event: Event) -> Event:
        if isinstance(event, OwnedClaim) and event.generation >= 0:
            return replace(event, generation=event.generation + more)
        if isinstance(event, Join) and event.member.generation >= 0:
            member = event.member._replace(generation=event.member.generation + more)
            return replace(event, member=member)
        return event

    return replace(history, changes=tuple(tuple(map(moved, events)) for events in history.changes))


def _generation_seen(history: History, wanted: str) -> bool:
    return max((j.member.generation for j in _first(history)), default=-1) == _GENERATIONS[wanted]


def _on_brokers(
    history: History, brokers: int, racks: int, factor: int, bare: Callable[[int], bool] = lambda _: False
) -> History:
    """The history on so many brokers in so many racks, each partition with `factor` replicas."""
    hosts = tuple(Broker(i, None if bare(i) else f"r{i % racks}") for i in range(brokers))

    def placed(topic: Topic) -> Topic:
        rows = (tuple((p + k) % brokers for k in range(factor)) for p in range(topic.partitions))
        return topic._replace(replicas=tuple(rows))

    history = _with_topics(history, placed)
    cluster = replace(history.cluster, brokers=hosts)

    def event(old: Event) -> Event | None:
        if isinstance(old, Join):
            number = sum(map(ord, old.member.member_id))
            return replace(old, member=old.member._replace(rack=f"r{number % racks}"))
        if isinstance(old, ChangeRack | RackBroker) and old.rack is not None:
            return replace(old, rack=f"r{racks - 1}")
        return old

    changes = tuple(
        tuple(kept for old in events if (kept := event(old)) is not None) for events in history.changes
    )
    return replace(history, cluster=cluster, changes=changes)


_FACTORS: Final = {str(number): number for number in (1, 2, 3, 4, 5, 6, 10)}
_RACKS: Final = {str(number): number for number in (1, 2, 3, 4, 5, 6, 9, 10, 17, 65)}


def _factor(history: History) -> int:
    rows = (row for topic in history.cluster.topics for row in topic.replicas or ())
    return max(map(len, rows), default=0)


def _widen_factor(history: History, wanted: str, source: Source) -> History:
    factor = _FACTORS[wanted]
    racks = factor + source.integer(0, 2)
    return _on_brokers(history, racks, racks, factor)


def _widen_racks(history: History, wanted: str, source: Source) -> History:
    racks = _RACKS[wanted]
    return _on_brokers(history, max(3, racks), racks, source.integer(1, min(3, racks)))


def _rack_count(history: History) -> int:
    return len({broker.rack for broker in history.cluster.brokers if broker.rack is not None})


_BROKER_IDS: Final[dict[str, Callable[[int, int], int]]] = {
    "from 1": lambda number, _: number + 1,
    "from 127": lambda number, _: number + 127,
    "from 255": lambda number, _: number + 255,
    "from 1001": lambda number, _: number + 1001,
    "from 32767": lambda number, _: number + 32_767,
    "with holes": lambda number, _: number * number * 7 + number,
    "descending": lambda number, size: size - 1 - number,
    "to 2^31-1": lambda number, size: 2**31 - size + number,
}


def _widen_broker_ids(history: History, wanted: str, source: Source) -> History:
    """Other ids for the brokers, which a group sees only by their racks and replicas."""
    if not history.cluster.brokers:
        history = _widen_factor(history, "2", source)
    size = len(history.cluster.brokers)
    new = {b.broker_id: _BROKER_IDS[wanted](n, size) for n, b in enumerate(history.cluster.brokers)}

    def topic(old: Topic) -> Topic:
        if old.replicas is None:
            return old
        return old._replace(replicas=tuple(tuple(new.get(b, b) for b in row) for row in old.replicas))

    history = _with_topics(history, topic)
    brokers = tuple(b._replace(broker_id=new[b.broker_id]) for b in history.cluster.brokers)

    def event(old: Event) -> Event:
        if isinstance(old, RackBroker):
            return replace(old, broker_id=new.get(old.broker_id, old.broker_id))
        return old

    changes = tuple(tuple(map(event, events)) for events in history.changes)
    return replace(history, cluster=replace(history.cluster, brokers=brokers), changes=changes)


def _broker_ids_seen(history: History, wanted: str) -> bool:
    ids = [broker.broker_id for broker in history.cluster.brokers]
    return len(ids) > 1 and ids == [_BROKER_IDS[wanted](n, len(ids)) for n in range(len(ids))]


_RACK_FACTS: Final = (
    "a member without a rack",
    "a topic without replicas",
    "a partition without replicas",
    "a member in a rack without brokers",
    "a broker without a rack",
)


def _widen_rack_facts(history: History, wanted: str, _: Source) -> History:
    """Racks that are known for some things only, as while racks are rolled out."""
    bare = wanted == "a broker without a rack"
    history = _on_brokers(history, 3, 3, 2, lambda i: bare and i == 2)
    if wanted in (_RACK_FACTS[0], _RACK_FACTS[3]):
        rack = None if wanted == _RACK_FACTS[0] else "r-elsewhere"
        return _with_members(history, lambda n, m: m if n else m._replace(rack=rack))
    if wanted == _RACK_FACTS[1]:
        first = history.cluster.topics[0].name if history.cluster.topics else ""
        return _with_topics(history, lambda t: t._replace(replicas=None) if t.name == first else t)
    if wanted == _RACK_FACTS[2]:
        return _with_topics(
            history, lambda t: t._replace(replicas=((), *t.replicas[1:])) if t.replicas else t
        )
    return history


def _rack_fact_seen(history: History, wanted: str) -> bool:
    brokers, topics = history.cluster.brokers, history.cluster.topics
    racks = {broker.rack for broker in brokers}
    members = [join.member for join in _first(history)]
    return (
        bool(brokers)
        and {
            _RACK_FACTS[0]: any(m.rack is None for m in members) and any(m.rack for m in members),
            _RACK_FACTS[1]: any(t.replicas is None for t in topics) and any(t.replicas for t in topics),
            _RACK_FACTS[2]: any(row == () for t in topics for row in t.replicas or ()),
            _RACK_FACTS[3]: any(m.rack is not None and m.rack not in racks for m in members),
            _RACK_FACTS[4]: None in racks and len(racks) > 1,
        }[wanted]
    )


_WEIGHTS: Final = {
    "0": 0,
    "2^31-1": 2**31 - 1,
    "2^31": 2**31,
    "2^32+1": 2**32 + 1,
    "2^53+1": 2**53 + 1,
    "2^62": 2**62,
    "10^9": 10**9,
}


def _widen_weights(history: History, wanted: str, _: Source) -> History:
    """Every second weight is the value, the others are small; all are the value where they cannot differ."""
    value = _WEIGHTS[wanted]
    return _with_topics(
        history,
        lambda t: t._replace(weights=tuple(value if p % 2 == 0 else 1 + p for p in range(t.partitions))),
    )


def _weights_seen(history: History, wanted: str) -> bool:
    return any(_WEIGHTS[wanted] in (topic.weights or ()) for topic in history.cluster.topics)


_ORDERS: Final = ("reversed", "rotated")


def _turned(items: tuple[str, ...], wanted: str, number: int) -> tuple[str, ...]:
    if wanted == "reversed":
        return tuple(sorted(set(items), reverse=True)) if number % 2 == 0 else items
    turn = number % max(1, len(items))
    return (*items[turn:], *items[:turn])


def _widen_topic_order(history: History, wanted: str, _: Source) -> History:
    """Subscriptions whose topics are not sorted, and not in the same order for every member."""
    return _with_members(history, lambda n, m: m._replace(topics=_turned(m.topics, wanted, n + 1)))


def _topic_order_seen(history: History, _: str) -> bool:
    return any(list(join.member.topics) != sorted(join.member.topics) for join in _first(history))


def _widen_owned_order(history: History, wanted: str, _: Source) -> History:
    """Owned partitions that are not reported in order; the first member owns two where none does."""
    if all(len(join.member.owned) < 2 for join in _first(history)):
        history = _owning_two(history)

    def turned(_: int, member: Member) -> Member:
        owned = member.owned
        return member._replace(owned=owned[::-1] if wanted == "reversed" else (*owned[1:], *owned[:1]))

    return _with_members(history, turned)


def _owning_two(history: History) -> History:
    """The history whose first reader of a topic owns its first two partitions."""
    pairs = {t.name: (TopicPartition(t.name, 0), TopicPartition(t.name, 1)) for t in history.cluster.topics}
    large = {t.name for t in history.cluster.topics if t.partitions > 1}
    owners = [
        (number, topic)
        for number, join in enumerate(_first(history))
        for topic in join.member.topics
        if topic in large and not any(tp in pairs[topic] for j in _first(history) for tp in j.member.owned)
    ]
    if not owners:
        return history
    owner, topic = owners[0]
    return _with_members(
        history,
        lambda n, m: m._replace(owned=(*m.owned, *pairs[topic]), generation=3) if n == owner else m,
    )


def _owned_order_seen(history: History, _: str) -> bool:
    return any(list(j.member.owned) != sorted(j.member.owned) for j in _first(history))


_STATIC: Final = ("all", "some")


def _widen_static(history: History, wanted: str, source: Source) -> History:
    """Static members: all of the first ones, or every second."""

    def static(number: int, member: Member) -> Member:
        is_static = wanted == "all" or number % 2 == 0
        # The digit in front makes the order of instance ids differ from that of member ids.
        own = member.instance_id or f"i{9 - number % 10}-{number + 100}"
        return member._replace(instance_id=own if is_static else None)

    history = _with_members(history, static)
    left = [join.member for join in _first(history) if join.member.instance_id]
    if source.boolean() and left:
        back = left[-1]._replace(member_id=back_id(left[-1]), owned=(), generation=-1)
        more: tuple[Change, ...] = ((Leave(left[-1].member_id),), (Join(back),))
        history = replace(history, changes=(*history.changes, *more))
    return history


def back_id(member: Member) -> str:
    """The member id of a static member after its restart."""
    return f"{member.member_id}x"


def _static_seen(history: History, wanted: str) -> bool:
    static = [join.member.instance_id is not None for join in _first(history)]
    return any(static) and (all(static) if wanted == "all" else not all(static))


_TOPIC_LIVES: Final = (
    "recreated smaller",
    "recreated larger",
    "recreated with the same size",
    "deleted",
    "deleted later",
)


def _widen_topic_life(history: History, wanted: str, source: Source) -> History:
    """The largest topic is deleted, or deleted and created again: at once, or after a rebalance."""
    if not history.cluster.topics:
        return history
    topic = max(history.cluster.topics, key=lambda t: t.partitions)
    count = {"recreated smaller": max(1, topic.partitions // 2), "recreated larger": topic.partitions + 3}
    new = Topic(topic.name, count.get(wanted, topic.partitions))
    gone, back = DeleteTopic(topic.name), CreateTopic(new)
    if wanted.startswith("deleted"):
        more: tuple[Change, ...] = ((gone,), (Rebalance(),)) if wanted == "deleted later" else ((gone,),)
    elif source.boolean():
        more = ((gone, back), (Rebalance(),))
    else:
        more = ((gone,), (back,), (Rebalance(),))
    return replace(history, changes=(*history.changes, *more))


def _topic_life_seen(history: History, wanted: str) -> bool:
    events = [event for change in history.changes for event in change]
    gone = [event.topic for event in events if isinstance(event, DeleteTopic)]
    back = {event.topic.name for event in events if isinstance(event, CreateTopic)}
    return any((name in back) is wanted.startswith("recreated") for name in gone)


_MEMBER_LIVES: Final = ("back with its id", "all replaced", "all leave and return", "leader replaced")


def _widen_member_life(history: History, wanted: str, _: Source) -> History:
    """Members that leave for good and join again as they were, one by one or all at once."""
    members = [join.member for join in _first(history)]
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

    return _with_members(history, owning)


def _conflict_seen(history: History, wanted: str) -> bool:
    members = [join.member for join in _first(history)]
    counts = {topic.name: topic.partitions for topic in history.cluster.topics}
    owned = [tp for member in members for tp in member.owned]
    if wanted == "two owners":
        return len(set(owned)) < len(owned)
    if wanted == "a partition that is gone":
        return any(tp.partition >= counts.get(tp.topic, 0) for tp in owned)
    return any(tp.topic not in member.topics for member in members for tp in member.owned)


_JOINED: Final = {"by a dash": "-", "by a dot": ".", "by an underscore": "_", "by nothing": ""}


def _pairs(wanted: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Two pairs of topics that are the same text once each is joined."""
    mark = _JOINED[wanted]
    return ("eu", f"orders{mark}paid"), (f"eu{mark}orders", "paid")


def _widen_joined(history: History, wanted: str, _: Source) -> History:
    """Two members whose subscriptions are equal if their topics are joined to one text, and not otherwise."""
    pairs = _pairs(wanted)
    if len(_first(history)) < 2 or not history.cluster.topics:
        return history
    new = [name for pair in pairs for name in pair if name not in history.cluster.by_name]
    more = (history.cluster.topics[0]._replace(name=name) for name in new)
    history = replace(history, cluster=history.cluster.with_topics((*history.cluster.topics, *more)))
    return _with_members(
        history, lambda n, m: m._replace(topics=pairs[n], owned=(), generation=-1) if n < 2 else m
    )


def _joined_seen(history: History, wanted: str) -> bool:
    return {join.member.topics for join in _first(history)}.issuperset(_pairs(wanted))


_BOUNDARIES: Final = {f"{below:,} and {below + 1:,}": below for below in (127, 255, 32_767, 65_535, 2**24)}


def _widen_stale_claim(history: History, wanted: str, _: Source) -> History:
    """Two members report the same partitions, the second from the generation before a boundary."""
    below = _BOUNDARIES[wanted]
    members = [join.member for join in _first(history)]
    both = [topic for topic in history.cluster.topics if all(topic.name in m.topics for m in members[:2])]
    if len(members) < 2 or not both:
        return history
    claimed = tuple(TopicPartition(both[0].name, p) for p in range(min(2, both[0].partitions)))

    def claiming(number: int, member: Member) -> Member:
        if number < 2:
            return member._replace(owned=claimed, generation=below + 1 - number)
        return member._replace(owned=(), generation=-1)

    history = _with_members(history, claiming)
    # Later claims would be of generations that were long ago.
    changes = (tuple(e for e in change if not isinstance(e, OwnedClaim)) for change in history.changes)
    return replace(history, changes=tuple(changes))


def _stale_claim_seen(history: History, wanted: str) -> bool:
    below = _BOUNDARIES[wanted]
    of = [
        {tp for j in _first(history) if j.member.generation == g for tp in j.member.owned}
        for g in (below, below + 1)
    ]
    return not of[0].isdisjoint(of[1])


_ALONE: Final = {"1 of 9": 9, "1 of 17": 17, "1 of 65": 65}


def _widen_alone(history: History, wanted: str, _: Source) -> History:
    """Of many members one alone reads the largest topic, which has two partitions for each of them."""
    number = _ALONE[wanted]
    first = [join.member for join in _first(history)]
    if not first or not history.cluster.topics:
        return history
    pattern = history.cluster.topics[0]
    large = pattern.with_partitions(2 * number)._replace(name=_unused("large", history.cluster.by_name))
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
    return _with_members(
        history, lambda n, member: member if n else member._replace(topics=(*member.topics, large.name))
    )


def _unused(name: str, used: Mapping[str, object]) -> str:
    return next(each for each in (name * n for n in range(1, len(used) + 2)) if each not in used)


def _alone_seen(history: History, wanted: str) -> bool:
    number = _ALONE[wanted]
    members = [join.member for join in _first(history)]
    read = Counter(name for member in members for name in set(member.topics))
    return len(members) >= number and any(
        topic.partitions >= 2 * number and read[topic.name] == 1 for topic in history.cluster.topics
    )


_MOVING: Final = {"13": 13, "33": 33, "65": 65}


def _widen_moving(history: History, wanted: str, _: Source) -> History:
    """The first member owns all partitions of a topic that all members read: half of them or more move."""
    if len(_first(history)) < 2 or not history.cluster.topics:
        return history
    count = 2 * _MOVING[wanted]
    name = _unused("moving", history.cluster.by_name)
    topic = history.cluster.topics[0].with_partitions(count)._replace(name=name)
    history = replace(history, cluster=history.cluster.with_topics((*history.cluster.topics, topic)))
    owned = tuple(TopicPartition(name, p) for p in range(count))
    latest = max(3, *(join.member.generation for join in _first(history)))

    def reading(number: int, member: Member) -> Member:
        member = member._replace(topics=(*member.topics, name))
        return member if number else member._replace(owned=(*member.owned, *owned), generation=latest)

    return _with_members(history, reading)


def _moving_seen(history: History, wanted: str) -> bool:
    readers = Counter(name for join in _first(history) for name in set(join.member.topics))
    owned = [Counter(tp.topic for tp in join.member.owned) for join in _first(history)]
    return any(n >= 2 * _MOVING[wanted] and readers[t] > 1 for each in owned for t, n in each.items())


_GLUED: Final = ("a partition", "its number written after the name")


def _widen_glued(history: History, wanted: str, _: Source) -> History:
    """Partition 10 of a topic, and partition 0 of the topic whose name ends in 1; one is not assignable."""
    if not _first(history) or not history.cluster.topics:
        return history
    ten, one = (TopicPartition(*each) for each in _TEN_AND_ONE)
    pattern = history.cluster.topics[0]
    topics = [t for t in history.cluster.topics if t.name not in (ten.topic, one.topic)]
    more = [pattern.with_partitions(n)._replace(name=tp.topic) for tp, n in ((ten, 12), (one, 2))]
    history = replace(history, cluster=history.cluster.with_topics((*topics, *more)))
    history = _with_members(history, lambda _, m: m._replace(topics=(*m.topics, ten.topic, one.topic)))
    held = one if wanted == _GLUED[0] else ten
    first = (*history.changes[0], Withhold(held.topic, (held.partition,)))
    return replace(history, changes=(first, *history.changes[1:]))


_TEN_AND_ONE: Final = (("logs", 10), ("logs1", 0))


def _glued_seen(history: History, wanted: str) -> bool:
    topic, number = _TEN_AND_ONE[1 if wanted == _GLUED[0] else 0]
    return any(
        isinstance(event, Withhold) and event.topic == topic and number in event.numbers
        for event in history.changes[0]
    )


def _withheld_of(history: History, wanted: str) -> dict[str, tuple[int, ...]]:
    """What the group may not assign at first, by topic; every topic has a partition."""
    topics = history.cluster.topics
    if wanted == "none of the largest topic":
        topics = (max(topics, key=lambda topic: topic.partitions),)
    numbers = {topic.name: tuple(range(topic.partitions)) for topic in topics}
    if wanted == "all but the first":
        return {name: each[:1] for name, each in numbers.items()}
    if wanted == "all but the last":
        return {name: each[-1:] for name, each in numbers.items()}
    return {name: each[1:] for name, each in numbers.items()} if wanted == "the first alone" else numbers


_ASSIGNABLE: Final = (
    "none",
    "none of the largest topic",
    "the first alone",
    "all but the first",
    "all but the last",
)


def _widen_assignable(history: History, wanted: str, _: Source) -> History:
    """Partitions whose share state is not initialised at first, and is one rebalance later."""
    topics = history.cluster.topics
    if not _first(history) or not topics:
        return history
    more: tuple[str, ...] = ()
    if max(topic.partitions for topic in topics) < 3 or len(topics) < 2:
        more = (_unused("late", history.cluster.by_name),)
        late = topics[0].with_partitions(3)._replace(name=more[0])
        history = replace(history, cluster=history.cluster.with_topics((*topics, late)))
    withheld = {name: each for name, each in _withheld_of(history, wanted).items() if each}

    def reading(_: int, member: Member) -> Member:
        owned = tuple(tp for tp in member.owned if tp.partition not in withheld.get(tp.topic, ()))
        return member._replace(owned=owned, topics=(*member.topics, *more))

    history = _with_members(history, reading)
    first = tuple(event for event in history.changes[0] if not isinstance(event, Withhold))
    held = tuple(Withhold(name, numbers) for name, numbers in withheld.items())
    released = tuple(Withhold(name, ()) for name in withheld)
    return replace(history, changes=((*first, *held), released, *history.changes[1:]))


def _assignable_seen(history: History, wanted: str) -> bool:
    if not history.cluster.topics or not history.changes:
        return False
    held = {event.topic: event.numbers for event in history.changes[0] if isinstance(event, Withhold)}
    read = {name for join in _first(history) for name in join.member.topics}
    wanted_of = {name: numbers for name, numbers in _withheld_of(history, wanted).items() if numbers}
    return bool(read & wanted_of.keys()) and all(
        set(held.get(name, ())) == set(numbers) for name, numbers in wanted_of.items()
    )


_AT_ONCE: Final = {"with half the partitions": 2, "with one partition": 4}


def _widen_recreated(history: History, wanted: str, _: Source) -> History:
    """A topic that all first members read is created again with fewer partitions, before anything else.

    What they own of it reaches beyond its end.
    """
    if not _first(history) or not history.cluster.topics:
        return history
    name = _unused("again", history.cluster.by_name)
    topic = history.cluster.topics[0].with_partitions(4)._replace(name=name)
    history = replace(history, cluster=history.cluster.with_topics((*history.cluster.topics, topic)))
    history = _with_members(history, lambda _, m: m._replace(topics=(*m.topics, name)))
    smaller = CreateTopic(Topic(name, 4 // _AT_ONCE[wanted]))
    start, *later = history.changes
    return replace(history, changes=(start, (DeleteTopic(name), smaller), *later))


def _recreated_seen(history: History, wanted: str) -> bool:
    counts = {topic.name: topic.partitions for topic in history.cluster.topics}
    change = history.changes[1] if len(history.changes) > 1 else ()
    gone = {event.topic for event in change if isinstance(event, DeleteTopic)}
    read = {name for join in _first(history) for name in join.member.topics}
    return any(
        event.topic.partitions * _AT_ONCE[wanted] == counts.get(event.topic.name)
        for event in change
        if isinstance(event, CreateTopic) and event.topic.name in gone & read
    )


GENERATION: Final = WideRange(
    "generations", tuple(_GENERATIONS), _widen_generation, _generation_seen, "JoinGroupResponse.generationId"
)
RACK_RANGES: Final = (
    WideRange(
        "replication factors",
        tuple(_FACTORS),
        _widen_factor,
        lambda history, wanted: _factor(history) == _FACTORS[wanted],
        "ReplicationControlManager.createTopic",
        _RACKED,
    ),
    WideRange(
        "racks",
        tuple(_RACKS),
        _widen_racks,
        lambda history, wanted: _rack_count(history) == _RACKS[wanted],
        "broker.rack",
        _RACKED,
    ),
    WideRange("broker ids", tuple(_BROKER_IDS), _widen_broker_ids, _broker_ids_seen, "node.id", _RACKED),
    WideRange(
        "known racks", _RACK_FACTS, _widen_rack_facts, _rack_fact_seen, "PartitionInfo.replicas", _RACKED
    ),
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
WEIGHT: Final = WideRange(
    "weights", tuple(_WEIGHTS), _widen_weights, _weights_seen, "int64 lags", frozenset({"no-weights"})
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
TOPIC_LIVES: Final = WideRange(
    "lives of topics",
    _TOPIC_LIVES,
    _widen_topic_life,
    _topic_life_seen,
    "DeleteTopics, CreateTopics",
    frozenset({"no-unknown-topics", "no-conflicting-claims"}),
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


JOINED: Final = WideRange(
    "subscriptions joined to one text",
    tuple(_JOINED),
    _widen_joined,
    _joined_seen,
    "Topic.LEGAL_CHARS",
    frozenset({"equal-subscriptions", PLAIN_NAMES}),
    names=("topic",),
    apart=True,
)
STALE_CLAIMS: Final = WideRange(
    "generations of two claims",
    tuple(_BOUNDARIES),
    _widen_stale_claim,
    _stale_claim_seen,
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
GLUED: Final = WideRange(
    "equal texts of a topic and a number",
    _GLUED,
    _widen_glued,
    _glued_seen,
    "ShareGroup.initializedTopicPartitions",
    frozenset({"no-conflicting-claims", PLAIN_NAMES}),
    names=("topic",),
)

ASSIGNABLE: Final = WideRange(
    "assignable partitions",
    _ASSIGNABLE,
    _widen_assignable,
    _assignable_seen,
    "ShareGroup.initializedTopicPartitions",
)
RECREATED: Final = WideRange(
    "topics created again at once",
    tuple(_AT_ONCE),
    _widen_recreated,
    _recreated_seen,
    "DeleteTopics, CreateTopics",
    frozenset({"no-unknown-topics", "no-conflicting-claims"}),
)


def ranges_of(kind: Kind) -> tuple[WideRange, ...]:
    """The ranges of what a target of the kind sees."""
    common = (GENERATION, MEMBER_LIVES, *ORDERS, *RACK_RANGES, JOINED, ALONE, MOVING)
    if kind == CLIENT:
        return (*common, STATIC, WEIGHT, TOPIC_LIVES, STALE_CLAIMS)
    return (
        (*common, STATIC, CONFLICTS)
        if kind == SERVER
        else (*common, TOPIC_LIVES, RECREATED, GLUED, ASSIGNABLE)
    )

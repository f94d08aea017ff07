"""What wide histories change in the cluster of a group: brokers, racks, topics, their weights and names.

`wide` has the sizes, and what wide histories change in the members.
Sources: `Topic`, `PartitionInfo`, `broker.rack`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from kassay.model.cluster import Broker, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    Change,
    ChangeRack,
    CreateTopic,
    DeleteTopic,
    Event,
    History,
    Join,
    RackBroker,
    Rebalance,
    Withhold,
)
from kassay.properties.sources import Source
from kassay.properties.wide.ranges import PLAIN_NAMES, WideRange

_RACKED: Final = frozenset({"no-racks"})


def first_joins(history: History) -> tuple[Join, ...]:
    """The joins of the first change."""
    return tuple(event for event in history.changes[0] if isinstance(event, Join)) if history.changes else ()


def _topics(history: History) -> tuple[Topic, ...]:
    created = (e.topic for change in history.changes for e in change if isinstance(e, CreateTopic))
    return (*history.cluster.topics, *created)


def with_members(history: History, change: Callable[[int, Member], Member]) -> History:
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
        return with_members(history, lambda n, m: m if n else m._replace(rack=rack))
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
    members = [join.member for join in first_joins(history)]
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


_EXCHANGED: Final = "two recreated with the same sum"
_TOPIC_LIVES: Final = (
    "recreated smaller",
    "recreated larger",
    "recreated with the same size",
    "deleted",
    "deleted later",
    _EXCHANGED,
)


def _exchanged(history: History) -> History:
    """Two topics are created again, as large together: each as the other was, or one more and one less."""
    if len(history.cluster.topics) < 2:
        return history
    one, other = sorted(history.cluster.topics, key=lambda t: t.partitions)[-2:]
    counts = other.partitions, one.partitions
    if one.partitions == other.partitions:
        if one.partitions < 2:
            return history
        counts = one.partitions + 1, other.partitions - 1
    again = tuple(CreateTopic(Topic(topic.name, count)) for topic, count in zip((one, other), counts))
    change: Change = (DeleteTopic(one.name), DeleteTopic(other.name), *again)
    return replace(history, changes=(*history.changes, change, (Rebalance(),)))


def _exchange_seen(history: History) -> bool:
    """Whether a change creates two topics again that have as many partitions in all as those it deletes."""
    counts = {topic.name: topic.partitions for topic in history.cluster.topics}
    for change in history.changes:
        new = {each.topic.name: each.topic.partitions for each in change if isinstance(each, CreateTopic)}
        gone = {each.topic for each in change if isinstance(each, DeleteTopic)}
        old = {name: counts[name] for name in gone if name in counts}
        if (
            len(old) > 1
            and old.keys() == new.keys()
            and old != new
            and sum(old.values()) == sum(new.values())
        ):
            return True
        counts |= new
    return False


def _widen_topic_life(history: History, wanted: str, source: Source) -> History:
    """The largest topic is deleted, or deleted and created again: at once, or after a rebalance."""
    if not history.cluster.topics:
        return history
    if wanted == _EXCHANGED:
        return _exchanged(history)
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
    if wanted == _EXCHANGED:
        return _exchange_seen(history)
    events = [event for change in history.changes for event in change]
    gone = [event.topic for event in events if isinstance(event, DeleteTopic)]
    back = {event.topic.name for event in events if isinstance(event, CreateTopic)}
    return any((name in back) is wanted.startswith("recreated") for name in gone)


_JOINED: Final = {"by a dash": "-", "by a dot": ".", "by an underscore": "_", "by nothing": ""}


def _pairs(wanted: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Two pairs of topics that are the same text once each is joined."""
    mark = _JOINED[wanted]
    return ("eu", f"orders{mark}paid"), (f"eu{mark}orders", "paid")


def _widen_joined(history: History, wanted: str, _: Source) -> History:
    """Two members whose subscriptions are equal if their topics are joined to one text, and not otherwise."""
    pairs = _pairs(wanted)
    if len(first_joins(history)) < 2 or not history.cluster.topics:
        return history
    new = [name for pair in pairs for name in pair if name not in history.cluster.by_name]
    more = (history.cluster.topics[0]._replace(name=name) for name in new)
    history = replace(history, cluster=history.cluster.with_topics((*history.cluster.topics, *more)))
    return with_members(
        history, lambda n, m: m._replace(topics=pairs[n], owned=(), generation=-1) if n < 2 else m
    )


def _joined_seen(history: History, wanted: str) -> bool:
    return {join.member.topics for join in first_joins(history)}.issuperset(_pairs(wanted))


def unused_name(name: str, used: Mapping[str, object]) -> str:
    """The name, repeated until none of those that are used is the same."""
    return next(each for each in (name * n for n in range(1, len(used) + 2)) if each not in used)


_GLUED: Final = ("a partition", "its number written after the name")


def _widen_glued(history: History, wanted: str, _: Source) -> History:
    """Partition 10 of a topic, and partition 0 of the topic whose name ends in 1; one is not assignable."""
    if not first_joins(history) or not history.cluster.topics:
        return history
    ten, one = (TopicPartition(*each) for each in _TEN_AND_ONE)
    pattern = history.cluster.topics[0]
    topics = [t for t in history.cluster.topics if t.name not in (ten.topic, one.topic)]
    more = [pattern.with_partitions(n)._replace(name=tp.topic) for tp, n in ((ten, 12), (one, 2))]
    history = replace(history, cluster=history.cluster.with_topics((*topics, *more)))
    history = with_members(history, lambda _, m: m._replace(topics=(*m.topics, ten.topic, one.topic)))
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
    if not first_joins(history) or not topics:
        return history
    more: tuple[str, ...] = ()
    if max(topic.partitions for topic in topics) < 3 or len(topics) < 2:
        more = (unused_name("late", history.cluster.by_name),)
        late = topics[0].with_partitions(3)._replace(name=more[0])
        history = replace(history, cluster=history.cluster.with_topics((*topics, late)))
    withheld = {name: each for name, each in _withheld_of(history, wanted).items() if each}

    def reading(_: int, member: Member) -> Member:
        owned = tuple(tp for tp in member.owned if tp.partition not in withheld.get(tp.topic, ()))
        return member._replace(owned=owned, topics=(*member.topics, *more))

    history = with_members(history, reading)
    first = tuple(event for event in history.changes[0] if not isinstance(event, Withhold))
    held = tuple(Withhold(name, numbers) for name, numbers in withheld.items())
    released = tuple(Withhold(name, ()) for name in withheld)
    return replace(history, changes=((*first, *held), released, *history.changes[1:]))


def _assignable_seen(history: History, wanted: str) -> bool:
    if not history.cluster.topics or not history.changes:
        return False
    held = {event.topic: event.numbers for event in history.changes[0] if isinstance(event, Withhold)}
    read = {name for join in first_joins(history) for name in join.member.topics}
    wanted_of = {name: numbers for name, numbers in _withheld_of(history, wanted).items() if numbers}
    return bool(read & wanted_of.keys()) and all(
        set(held.get(name, ())) == set(numbers) for name, numbers in wanted_of.items()
    )


_AT_ONCE: Final = {"with half the partitions": 2, "with one partition": 4}


def _widen_recreated(history: History, wanted: str, _: Source) -> History:
    """A topic that all first members read is created again with fewer partitions, before anything else.

    What they own of it reaches beyond its end.
    """
    if not first_joins(history) or not history.cluster.topics:
        return history
    name = unused_name("again", history.cluster.by_name)
    topic = history.cluster.topics[0].with_partitions(4)._replace(name=name)
    history = replace(history, cluster=history.cluster.with_topics((*history.cluster.topics, topic)))
    history = with_members(history, lambda _, m: m._replace(topics=(*m.topics, name)))
    smaller = CreateTopic(Topic(name, 4 // _AT_ONCE[wanted]))
    start, *later = history.changes
    return replace(history, changes=(start, (DeleteTopic(name), smaller), *later))


def _recreated_seen(history: History, wanted: str) -> bool:
    counts = {topic.name: topic.partitions for topic in history.cluster.topics}
    change = history.changes[1] if len(history.changes) > 1 else ()
    gone = {event.topic for event in change if isinstance(event, DeleteTopic)}
    read = {name for join in first_joins(history) for name in join.member.topics}
    return any(
        event.topic.partitions * _AT_ONCE[wanted] == counts.get(event.topic.name)
        for event in change
        if isinstance(event, CreateTopic) and event.topic.name in gone & read
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
WEIGHT: Final = WideRange(
    "weights", tuple(_WEIGHTS), _widen_weights, _weights_seen, "int64 lags", frozenset({"no-weights"})
)
TOPIC_LIVES: Final = WideRange(
    "lives of topics",
    _TOPIC_LIVES,
    _widen_topic_life,
    _topic_life_seen,
    "DeleteTopics, CreateTopics",
    frozenset({"no-unknown-topics", "no-conflicting-claims"}),
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

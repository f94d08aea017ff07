"""Smaller histories of a group: without each part that can be removed, the boldest cuts first.

A plain greedy shrinker gets stuck where two things can only be removed together (three members on four
partitions break a rule that neither two on four nor three on three break), so small histories are also tried
with two things removed at once. Groups of one topic that every member reads are few, so they are tried up to
the size of the history itself. Last, the history restarts in one of its own rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, islice, product
from typing import Final, TypeVar

from kassay.kinds.cuts import with_one, without_one
from kassay.kinds.groups.scopes import fresh_groups
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    AddPartitions,
    Change,
    CreateTopic,
    DeleteTopic,
    Event,
    History,
    Join,
    OwnedClaim,
    RackBroker,
    Rebalance,
    Reports,
    Resubscribe,
    Reweigh,
    StaticReturn,
    Withhold,
)
from kassay.model.groups.step import Step
from kassay.properties.groups.histories.generator import GENERATION

T = TypeVar("T")

PAIRS_MAX = 40
"""Up to this many single cuts are also tried in pairs."""

SINGLE_MAX = 16
"""The number of partitions up to which each is removed by itself; beyond, the least number of runs."""

FRESH_MAX = 2500
"""The number of smallest groups that are tried where a history cannot be cut further."""


def shrunk_histories(case: History) -> Iterator[History]:
    """Smaller histories in the order in which a shrinker should try them."""
    yield from _without_changes(case)
    singles = list(_cuts(case))
    yield from singles
    yield from _renumbered(case)
    if len(singles) <= PAIRS_MAX:
        for first, second in combinations(range(len(singles)), 2):
            # The cuts of the first result are recomputed, as the second may no longer exist there.
            yield from islice(_cuts(singles[first]), second - 1, second)
    yield from _simpler(case)
    size = case.size
    yield from (group for group in one_topic_groups(case) if group.size < size)
    yield from islice((fresh for fresh in fresh_groups(case) if fresh.size < size), FRESH_MAX)


def _without_changes(case: History) -> Iterator[History]:
    """Without runs of changes, halves first; then with two neighbouring changes joined."""
    changes = case.changes
    length = len(changes) // 2
    while length:
        for start in range(len(changes) - length + 1):
            left = changes[:start] + changes[start + length :]
            if left:
                yield replace(case, changes=left)
        length //= 2
    for i in range(1, len(changes)):
        together = changes[i - 1] + changes[i]
        yield replace(case, changes=changes[: i - 1] + (together,) + changes[i + 1 :])


def _cuts(case: History) -> Iterator[History]:
    """With one event, one topic, one partition, or one owned partition less."""
    for i, change in enumerate(case.changes):
        for left in without_one(change):
            changes = case.changes[:i] + ((left,) if left else ()) + case.changes[i + 1 :]
            if changes:
                yield replace(case, changes=changes)
    for i, topic in enumerate(case.cluster.topics):
        yield _without_topic(case, topic.name)
        if topic.partitions > 1:
            for fewer in _fewer(topic.partitions):
                yield _with_topic(case, i, _resized(topic, fewer))
    for changes in with_one(case.changes, lambda change: with_one(change, _smaller_event)):
        yield replace(case, changes=changes)


def _renumbered(case: History) -> Iterator[History]:
    """Without some partitions of a topic, wherever they are: later ones are renumbered everywhere."""
    named: dict[str, int] = {}
    for change in case.changes:
        for name, number in (tp for event in change for tp in _named_by(event)):
            named[name] = max(number, named.get(name, 0))
    for i, topic in enumerate(case.cluster.topics):
        # Where nothing distinguishes the partitions, one is as good as the last.
        differ = topic.replicas is not None or topic.weights is not None
        last = topic.partitions - 1 if differ else min(named.get(topic.name, 0), topic.partitions - 1)
        for gone in _runs(last):
            topics = case.cluster.topics
            fewer = (*topics[:i], _without_numbers(topic, gone), *topics[i + 1 :])
            without = partial(_moved_up, topic.name, gone)
            changes = tuple(tuple(_naming(e, without) for e in change) for change in case.changes)
            yield History(case.cluster.with_topics(fewer), changes, case.reports)


def _runs(count: int) -> Iterator[range]:
    """Runs of the numbers below `count`: halves, quarters and so on, down to single ones if there are few."""
    width = (count + 1) // 2
    while width and (count <= SINGLE_MAX or width * SINGLE_MAX >= count):
        for start in range(0, count, width):
            yield range(start, min(start + width, count))
        width //= 2


Partitions = tuple[TopicPartition, ...]


def _named_by(event: Event) -> Partitions:
    """The partitions that the event names."""
    if isinstance(event, Join):
        return event.member.owned
    if isinstance(event, Withhold):
        return tuple(TopicPartition(event.topic, number) for number in event.numbers)
    return event.owned if isinstance(event, OwnedClaim) else ()


def _naming(event: Event, change: Callable[[Partitions], Partitions]) -> Event:
    """The event with the partitions that it names changed."""
    named = change(_named_by(event))
    if isinstance(event, Join):
        return replace(event, member=event.member._replace(owned=named))
    if isinstance(event, Withhold):
        return replace(event, numbers=tuple(number for _, number in named))
    return replace(event, owned=named) if isinstance(event, OwnedClaim) else event


def _moved_up(topic: str, gone: range, named: Partitions) -> Partitions:
    """The partitions without the removed ones of the topic; later ones are renumbered."""
    return tuple(
        TopicPartition(t, p - len(gone)) if t == topic and p >= gone.stop else TopicPartition(t, p)
        for t, p in named
        if t != topic or p not in gone
    )


def _fewer(partitions: int) -> list[int]:
    """Smaller partition counts: every one of a small topic, half and one less of a large one."""
    few = range(1, partitions) if partitions <= 8 else (partitions // 2, partitions - 1)
    return list(few)


def _smaller_event(event: Event) -> Iterator[Event]:
    """The event with less content."""
    if isinstance(event, Join):
        for member in _smaller_member(event.member):
            yield replace(event, member=member)
    elif isinstance(event, OwnedClaim):
        for owned in without_one(event.owned):
            yield replace(event, owned=owned)
    elif isinstance(event, Withhold):
        for numbers in without_one(event.numbers):
            yield replace(event, numbers=numbers)
    elif isinstance(event, CreateTopic) and event.topic.partitions > 1:
        yield CreateTopic(_resized(event.topic, event.topic.partitions - 1))
    elif isinstance(event, AddPartitions) and event.partitions > 2:
        yield replace(event, partitions=event.partitions - 1)


def _smaller_member(member: Member) -> Iterator[Member]:
    if member.owned:
        yield member._replace(owned=())
        yield member._replace(owned=(), generation=-1)
    for topics in without_one(member.topics):
        yield member._replace(topics=topics)
    for owned in without_one(member.owned) if len(member.owned) > 1 else ():
        yield member._replace(owned=owned)


def _simpler(case: History) -> Iterator[History]:
    """The same history without racks, instance ids, weights, configurations, special orders and names."""
    if case.cluster.brokers:
        bare = Cluster(tuple(t._replace(replicas=None) for t in case.cluster.topics))
        yield replace(case, cluster=bare)
    for i, topic in enumerate(case.cluster.topics):
        if topic.weights is not None:
            yield _with_topic(case, i, topic._replace(weights=None))
            for weights in with_one(topic.weights, _lighter):
                yield _with_topic(case, i, topic._replace(weights=weights))
        if topic.replicas is not None:
            yield _with_topic(case, i, topic._replace(replicas=None))
    if case.reports is not Reports.JOINED:
        yield replace(case, reports=Reports.JOINED)
    for changes in with_one(case.changes, lambda change: with_one(change, _plainer)):
        yield replace(case, changes=changes)
    yield from _renamed(case)


def _lighter(weight: int) -> list[int]:
    """Smaller weights to try."""
    return sorted({1, weight // 2} - {0, weight})


def _plainer(event: Event) -> Iterator[Event]:
    if not isinstance(event, Join):
        return
    member = event.member
    if member.instance_id is not None:
        yield replace(event, member=member._replace(instance_id=None))
    if member.rack is not None:
        yield replace(event, member=member._replace(rack=None))
    if member.generation > (0 if member.owned else -1):
        yield replace(event, member=member._replace(generation=member.generation - 1))
    if event.config:
        yield replace(event, config=())


def _renamed(case: History) -> Iterator[History]:
    """The history with plain names: topics t0, t1, ..., members m0, m1, ... in the order of first mention.

    Rules break ties by member id, so members are also renamed in the order of their ids.
    """
    topics = [t.name for t in case.cluster.topics]
    ids = list(dict.fromkeys(_mentioned(case)))
    for order in (ids, sorted(ids)):
        names = {name: f"t{i}" for i, name in enumerate(topics)}
        members = {member_id: f"m{i}" for i, member_id in enumerate(order)}
        renamed = _with_names(case, names, members)
        if renamed != case:
            yield renamed


def _mentioned(case: History) -> Iterator[str]:
    """Every member id in order of first appearance."""
    for change in case.changes:
        for event in change:
            if isinstance(event, Join):
                yield event.member.member_id
            elif isinstance(event, StaticReturn):
                yield event.new_member_id


def _with_names(case: History, topics: dict[str, str], members: dict[str, str]) -> History:
    return History(
        case.cluster.with_topics(t._replace(name=topics.get(t.name, t.name)) for t in case.cluster.topics),
        tuple(tuple(_rename_event(event, topics, members) for event in change) for change in case.changes),
        case.reports,
    )


def _rename_event(event: Event, topics: dict[str, str], members: dict[str, str]) -> Event:
    """The event with every topic and member under its new name."""

    def tps(owned: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
        return tuple(TopicPartition(topics.get(t, t), p) for t, p in owned)

    if isinstance(event, Join):
        member = event.member
        named = member._replace(
            member_id=members.get(member.member_id, member.member_id),
            topics=tuple(topics.get(t, t) for t in member.topics),
            owned=tps(member.owned),
        )
        return replace(event, member=named)
    if isinstance(event, CreateTopic):
        return CreateTopic(event.topic._replace(name=topics.get(event.topic.name, event.topic.name)))
    if isinstance(event, AddPartitions | DeleteTopic | Reweigh | Withhold):
        return replace(event, topic=topics.get(event.topic, event.topic))
    if isinstance(event, RackBroker | Rebalance):
        return event
    who = members.get(event.member_id, event.member_id)
    if isinstance(event, StaticReturn):
        return StaticReturn(who, members.get(event.new_member_id, event.new_member_id))
    if isinstance(event, OwnedClaim):
        return OwnedClaim(who, tps(event.owned), event.generation)
    if isinstance(event, Resubscribe):
        return Resubscribe(who, tuple(topics.get(t, t) for t in event.topics))
    return replace(event, member_id=who)


def _resized(topic: Topic, partitions: int) -> Topic:
    return topic._replace(
        partitions=partitions,
        replicas=None if topic.replicas is None else topic.replicas[:partitions],
        weights=None if topic.weights is None else topic.weights[:partitions],
    )


def _without_numbers(topic: Topic, gone: range) -> Topic:
    """The topic without the data of those partitions; later ones are renumbered."""

    def rest(values: tuple[T, ...] | None) -> tuple[T, ...] | None:
        return None if values is None else values[: gone.start] + values[gone.stop :]

    return topic._replace(
        partitions=topic.partitions - len(gone), replicas=rest(topic.replicas), weights=rest(topic.weights)
    )


def _without_topic(case: History, name: str) -> History:
    """The history without the topic, its owned partitions and its subscriptions."""

    def without(member: Member) -> Member:
        return member._replace(
            topics=tuple(t for t in member.topics if t != name),
            owned=tuple(tp for tp in member.owned if tp.topic != name),
        )

    return _with_members(case, (t for t in case.cluster.topics if t.name != name), without)


def _with_topic(case: History, index: int, topic: Topic) -> History:
    """The history with that topic replaced; owned partitions beyond its count are removed."""
    old = case.cluster.topics[index]
    topics = case.cluster.topics[:index] + (topic,) + case.cluster.topics[index + 1 :]

    lost = range(topic.partitions, old.partitions)

    def clipped(member: Member) -> Member:
        owned = tuple(tp for tp in member.owned if tp.topic != old.name or tp.partition not in lost)
        return member._replace(owned=owned)

    return _with_members(case, topics, clipped)


def _with_members(case: History, topics: Iterable[Topic], change: Callable[[Member], Member]) -> History:
    """The history with these topics, and every member that joins changed."""
    changes = tuple(
        tuple(replace(e, member=change(e.member)) if isinstance(e, Join) else e for e in events)
        for events in case.changes
    )
    return History(case.cluster.with_topics(topics), changes, case.reports)


MORE_PARTITIONS: Final = 3
"""A group with fewer members may have this many more partitions than the history: members count first."""
MEMBERS_MAX: Final = 12
PARTITIONS_MAX: Final = 32
"""Larger groups are not tried: a case of that size can still be cut."""
WEIGHED_MAX: Final = 8
"""The number of partitions up to which weights are tried in every order."""


def one_topic_groups(case: History) -> Iterator[History]:
    """Groups with one topic and at most as many members as the case; one member owns all or none owns any.

    The fewest members come first. A later event may become part of the past: then one more member may join at
    the start. Where partitions have weights, groups in which each weighs the largest weight or 1 come before
    all others.
    """
    members_max = min(len(case.joins) + (case.events > 0), MEMBERS_MAX)
    added = sum(e.partitions for change in case.changes for e in change if isinstance(e, AddPartitions))
    partitions_max, heavy = min(case.size[2] + added, PARTITIONS_MAX), _heaviest(case)
    if heavy > 1:
        yield from _weighted(members_max, min(partitions_max, WEIGHED_MAX), heavy)
    for members in range(1, members_max + 1):
        more = MORE_PARTITIONS if members < members_max else 0
        for partitions in range(1, partitions_max + more + 1):
            for owner in range(-1, members):
                yield _group(members, Topic("t0", partitions), owner)


def _heaviest(case: History) -> int:
    """The largest weight of a partition; 0 where none has a weight."""
    events = [event for change in case.changes for event in change]
    topics = [*case.cluster.topics, *(event.topic for event in events if isinstance(event, CreateTopic))]
    rows = [topic.weights or () for topic in topics]
    rows += [event.weights for event in events if isinstance(event, Reweigh)]
    return max((weight for row in rows for weight in row), default=0)


def _weighted(members_max: int, partitions_max: int, heavy: int) -> Iterator[History]:
    """Groups without owned partitions; each partition weighs the largest weight or 1."""
    sizes = product(range(1, members_max + 1), range(1, partitions_max + 1))
    for members, partitions in sorted(sizes, key=lambda size: (sum(size), size)):
        for weights in product((heavy, 1), repeat=partitions):
            yield _group(members, Topic("t0", partitions, weights=weights))


def _group(members: int, topic: Topic, owner: int = -1) -> History:
    """A group whose members all read the topic; the member with the number `owner` owns all of it."""
    joins = []
    for i in range(members):
        owned, generation = (tuple(topic.tps()), GENERATION) if i == owner else ((), -1)
        joins.append(Join(Member(f"m{i}", (topic.name,), owned, generation)))
    return History(Cluster((topic,)), (tuple(joins),))


def restarted_histories(case: History, rounds: Iterable[tuple[int, Step]]) -> Iterator[History]:
    """Histories that begin in the state of some round of this one, with or without the changes after it.

    Members join with their owned partitions of that round; what a share group may not assign there is
    withheld from the start. Each round comes with the index of its change.
    """
    for index, step in rounds:
        joins = tuple(
            Join(member._replace(user_data=None), tuple(step.configs.get(member.member_id, {}).items()))
            for member in step.group.members
        )
        start: Change = (*joins, *_withheld(step))
        rest = case.changes[index + 1 :]
        if joins:
            yield replace(case, cluster=step.cluster, changes=(start,))
            if rest:
                yield replace(case, cluster=step.cluster, changes=(start, *rest))


def _withheld(step: Step) -> Iterator[Withhold]:
    """Withholds the partitions that the group may not assign, topic by topic."""
    assignable = step.group.assignable
    if assignable is not None:
        for topic, tps in step.cluster.partitions.items():
            numbers = tuple(tp.partition for tp in tps if tp not in assignable)
            if numbers:
                yield Withhold(topic, numbers)

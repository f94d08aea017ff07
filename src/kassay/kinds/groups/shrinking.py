"""Smaller histories of a group: without each part that can be removed, the boldest cuts first.

A plain greedy shrinker gets stuck where two things can only be removed together (three members on four
partitions break a rule that neither two on four nor three on three break), so small histories are also tried
with two things removed at once. Groups of one topic that every member reads are few, so they are tried up to
the size of the history itself. Last, the history restarts in one of its own rounds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, count, islice, product
from typing import Final, TypeVar

from kassay.kinds.cuts import with_one, without_one
from kassay.kinds.groups.scopes import fresh_groups
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.documents import HISTORY
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    AddPartitions,
    Change,
    CreateTopic,
    Event,
    History,
    Join,
    ReportOwned,
    Reports,
    Reweigh,
    Withhold,
)
from kassay.model.groups.step import Step
from kassay.model.shape.names import canonical, mentioned, plain_name, renamed
from kassay.properties.groups.histories.generator import GENERATION

T = TypeVar("T")

PAIRS_MAX = 40
"""Up to this many single cuts are also tried in pairs."""

MANY = 12
"""More events or topics than this are also removed in runs."""

SINGLE_MAX = 16
"""The number of partitions up to which each is removed by itself; beyond, the least number of runs."""

FRESH_MAX = 2500
"""The number of smallest groups that are tried where a history cannot be cut further."""


def shrunk_histories(case: History) -> Iterator[History]:
    """Smaller histories in the order in which a shrinker should try them."""
    yield from _without_changes(case)
    yield from _without_many(case)
    singles: list[History] = []
    for cut in _cuts(case):
        yield cut
        if len(singles) <= PAIRS_MAX:
            singles.append(cut)
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


def _without_many(case: History) -> Iterator[History]:
    """Without runs of events or of topics, halves first, while there are many of them."""
    for i, change in enumerate(case.changes):
        for left in _without_runs(change) if len(change) > MANY else ():
            yield replace(case, changes=(*case.changes[:i], left, *case.changes[i + 1 :]))
    names = tuple(topic.name for topic in case.cluster.topics)
    for kept in _without_runs(names) if len(names) > MANY else ():
        yield _without_topics(case, frozenset(names) - frozenset(kept))


def _without_runs(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """The tuple without runs of its items, from halves to eighths."""
    width = len(items) // 2
    while width >= max(1, len(items) // 8):
        for start in range(0, len(items), width):
            yield items[:start] + items[start + width :]
        width //= 2


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
    return event.owned if isinstance(event, ReportOwned) else ()


def _naming(event: Event, change: Callable[[Partitions], Partitions]) -> Event:
    """The event with the partitions that it names changed."""
    named = change(_named_by(event))
    if isinstance(event, Join):
        return replace(event, member=event.member._replace(owned=named))
    if isinstance(event, Withhold):
        return replace(event, numbers=tuple(number for _, number in named))
    return replace(event, owned=named) if isinstance(event, ReportOwned) else event


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
    elif isinstance(event, ReportOwned):
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
    for owned in with_one(member.owned, _lower):
        if len(set(owned)) == len(owned):
            yield member._replace(owned=tuple(owned))


def _lower(tp: TopicPartition) -> list[TopicPartition]:
    """The same topic's partitions with lower numbers to try: half the number, and one less."""
    return [
        TopicPartition(tp.topic, n) for n in dict.fromkeys((tp.partition // 2, tp.partition - 1)) if n >= 0
    ]


def _simpler(case: History) -> Iterator[History]:
    """The same history without racks, instance ids, weights, configurations, special orders and names."""
    if case.cluster.brokers:
        bare = Cluster(tuple(t._replace(replicas=None) for t in case.cluster.topics))
        yield replace(case, cluster=bare)
        yield from _fewer_replicas(case)
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


def _fewer_replicas(case: History) -> Iterator[History]:
    """The history with a replica fewer a partition, and without the last broker, where nothing names it."""
    topics = case.cluster.topics
    if any(len(row) > 1 for topic in topics for row in topic.replicas or ()):
        fewer = (
            topic
            if topic.replicas is None
            else topic._replace(replicas=tuple(row[:-1] if len(row) > 1 else row for row in topic.replicas))
            for topic in topics
        )
        yield replace(case, cluster=Cluster(tuple(fewer), case.cluster.brokers))
    used = {broker for topic in topics for row in topic.replicas or () for broker in row}
    unused = [broker for broker in case.cluster.brokers if broker.broker_id not in used]
    if unused:
        kept = tuple(broker for broker in case.cluster.brokers if broker not in unused)
        yield replace(case, cluster=Cluster(topics, kept))
        yield replace(
            case, cluster=Cluster(topics, tuple(b for b in case.cluster.brokers if b != unused[-1]))
        )


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
    least = 0 if member.owned else -1
    lower = (least, GENERATION, member.generation // 2, member.generation - 1)
    for generation in dict.fromkeys(each for each in lower if least <= each < member.generation):
        yield replace(event, member=member._replace(generation=generation))
    if event.config:
        yield replace(event, config=())


_PLAIN_NAME: Final = re.compile(r"[a-z]\d{1,2}\Z")


def _renamed(case: History) -> Iterator[History]:
    """The history with plain names: all of them, those of one space, and each by itself.

    Rules break ties by names, so they are given in the order of first mention and in the order of the names.
    """
    node, document = HISTORY.node, HISTORY.write(case)
    for plain in canonical(node, document):
        yield HISTORY.read(plain, "case")
    for space, names in mentioned(node, document).items():
        wide = [name for name in names if not _PLAIN_NAME.match(str(name))]
        if not wide:
            continue
        free = (plain for i in count() if (plain := plain_name(node, space, i)) not in names)
        fresh = dict(zip(wide, free))
        for some in (fresh, *({name: fresh[name]} for name in wide[:SINGLE_MAX] if len(wide) > 1)):
            yield HISTORY.read(renamed(node, document, {space: some}), "case")
        yield from _shorter_names(case, space, wide)


def _shorter_names(case: History, space: str, wide: list[str]) -> Iterator[History]:
    """The history with the names of one space cut to half at either end, where they still differ."""
    node, document = HISTORY.node, HISTORY.write(case)
    for at_head in (True, False):
        names = {name: _half(name, at_head) for name in wide if isinstance(name, str) and len(name) > 3}
        every = mentioned(node, document)[space]
        if names and len({names.get(name, name) for name in every}) == len(every):
            yield HISTORY.read(renamed(node, document, {space: names}), "case")


def _half(name: str, at_head: bool) -> str:
    """The first half of the name, or the second."""
    return name[: (len(name) + 1) // 2] if at_head else name[len(name) // 2 :]


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
    return _without_topics(case, frozenset((name,)))


def _without_topics(case: History, gone: frozenset[str]) -> History:
    """Without these topics, wherever they are named."""

    def without(member: Member) -> Member:
        return member._replace(
            topics=tuple(t for t in member.topics if t not in gone),
            owned=tuple(tp for tp in member.owned if tp.topic not in gone),
        )

    return _with_members(case, (t for t in case.cluster.topics if t.name not in gone), without)


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

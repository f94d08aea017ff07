"""Groups as a search changes them: numbers in place of names, widened to a size, changed one by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join
from kassay.properties.groups.histories.generator import GENERATION


@dataclass(frozen=True)
class GroupShape:
    """Partitions of each topic, topics of each member, and of each partition the owner, -1 for none."""

    sizes: tuple[int, ...]
    reads: tuple[frozenset[int], ...]
    owners: tuple[int, ...]

    def history(self) -> History:
        """The one change that brings this group with its past."""
        topics = tuple(Topic(f"t{i:02d}", size) for i, size in enumerate(self.sizes))
        tps = [tp for topic in topics for tp in topic.tps()]
        owned: list[list[TopicPartition]] = [[] for _ in self.reads]
        for tp, owner in zip(tps, self.owners, strict=True):
            if owner >= 0:
                owned[owner].append(tp)
        generation = GENERATION if any(owned) else -1
        joins = tuple(
            Join(Member(f"m{i:02d}", tuple(topics[t].name for t in sorted(read)), tuple(own), generation))
            for i, (read, own) in enumerate(zip(self.reads, owned))
        )
        return History(Cluster(topics), (joins,))


def shape_of(case: History) -> GroupShape:
    """The shape of the group that the history's first change brings."""
    names = {topic.name: i for i, topic in enumerate(case.cluster.topics)}
    owner = {tp: i for i, join in enumerate(case.joins) for tp in join.member.owned}
    return GroupShape(
        tuple(topic.partitions for topic in case.cluster.topics),
        tuple(frozenset(names[topic] for topic in join.member.topics) for join in case.joins),
        tuple(owner.get(tp, -1) for topic in case.cluster.topics for tp in topic.tps()),
    )


def widened(shape: GroupShape, size: tuple[int, int]) -> GroupShape:
    """The group repeated beside itself, members and topics, until it has the size."""
    members, partitions = size
    sizes, reads, owners = list(shape.sizes), list(shape.reads), list(shape.owners)
    topics = len(shape.sizes)
    while sum(sizes) < partitions:
        original = (len(sizes)) % topics
        room = min(shape.sizes[original], partitions - sum(sizes))
        sizes.append(room)
        owners += [-1] * room
        reads = [read | {len(sizes) - 1} if original in read else read for read in reads]
    while len(reads) < members:
        reads.append(reads[len(reads) % len(shape.reads)])
    return GroupShape(tuple(sizes), tuple(reads), tuple(owners))


def chain(size: tuple[int, int]) -> GroupShape:
    """Member i reads topics i and i + 1 and owned topic i, whose sizes rise."""
    members, partitions = size
    topics = min(members, partitions)
    sizes = [1] * topics
    for i in range(partitions - topics):
        sizes[topics - 1 - i % topics] += 1
    reads = tuple(
        frozenset(t for t in (i, i + 1) if t < topics) or frozenset({topics - 1}) for i in range(members)
    )
    owners = [topic for topic, count in enumerate(sizes) for _ in range(count)]
    return GroupShape(tuple(sizes), reads, tuple(owners))


def changed(shape: GroupShape, rng: random.Random) -> GroupShape:
    """One thing changed: a subscription, an owner, two members' turns, or the topic of a partition."""
    change: Callable[[GroupShape, random.Random], GroupShape] = rng.choice(
        (_read_more_or_less, _owned_by_another, _turned, _topic_of_another_size)
    )
    return change(shape, rng)


def _read_more_or_less(shape: GroupShape, rng: random.Random) -> GroupShape:
    member, topic = rng.randrange(len(shape.reads)), rng.randrange(len(shape.sizes))
    read = shape.reads[member] ^ {topic}
    reads = (*shape.reads[:member], read, *shape.reads[member + 1 :])
    if not read or not any(topic in own for own in reads):
        return shape
    return _consistent(replace(shape, reads=reads))


def _owned_by_another(shape: GroupShape, rng: random.Random) -> GroupShape:
    at = rng.randrange(len(shape.owners))
    owner = rng.randrange(-1, len(shape.reads))
    return _consistent(replace(shape, owners=(*shape.owners[:at], owner, *shape.owners[at + 1 :])))


def _turned(shape: GroupShape, rng: random.Random) -> GroupShape:
    a, b = rng.randrange(len(shape.reads)), rng.randrange(len(shape.reads))
    reads = list(shape.reads)
    reads[a], reads[b] = reads[b], reads[a]
    new = {a: b, b: a}
    return replace(shape, reads=tuple(reads), owners=tuple(new.get(owner, owner) for owner in shape.owners))


def _topic_of_another_size(shape: GroupShape, rng: random.Random) -> GroupShape:
    a, b = rng.randrange(len(shape.sizes)), rng.randrange(len(shape.sizes))
    if a == b or shape.sizes[a] < 2:
        return shape
    sizes = list(shape.sizes)
    sizes[a], sizes[b] = sizes[a] - 1, sizes[b] + 1
    owners = list(shape.owners)
    moved = owners.pop(sum(shape.sizes[: a + 1]) - 1)
    owners.insert(sum(sizes[: b + 1]) - 1, moved)
    return _consistent(replace(shape, sizes=tuple(sizes), owners=tuple(owners)))


def _consistent(shape: GroupShape) -> GroupShape:
    """Owners are readers: what somebody owned without reading it, nobody did."""
    topics = [topic for topic, size in enumerate(shape.sizes) for _ in range(size)]
    owners = tuple(o if o >= 0 and t in shape.reads[o] else -1 for t, o in zip(topics, shape.owners))
    return replace(shape, owners=owners)

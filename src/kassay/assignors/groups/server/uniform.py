"""Uniform of 4.0.0: the default server-side assignor of KIP-848, balance first, then stickiness.

Two algorithms, one for groups whose members all read the same topics and one for the others; their
parts of this file describe goals, tie-breaks and cost. The coordinator decides which of them runs
(`Group.homogeneous`). A member's `owned` is its current target assignment. Racks and static membership have
no effect.

The answer is a set per member: kept partitions are listed before gained ones. With no topics at all, and with
no members, it is empty: an absent member has no partitions.
Source: Kafka `org.apache.kafka.coordinator.group.assignor.UniformAssignor`, trunk 1eb7644349cb.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, repeat
from typing import Final

from kassay.assignors.groups.server.topics import PartitionAssignorException, described_counts, topic_id_key
from kassay.assignors.java_errors import ArrayIndexOutOfBoundsError
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import SERVER

# Uniform of 4.0.0 where all members read the same topics: quotas in member order, then free partitions.
#
# Goals, in order: loads within one of each other, then few moves.
# The quota is the share of each member rounded down; the first members in the order given, as many
# as there are partitions left over, have one more. So the extra partition goes to the first members and
# not to its owner, which costs moves that a better rule avoids.
# A member keeps the first partitions of its current target up to its quota, taken topic by topic.
# Free partitions are those that no member is reported to own, by topic in the order of the first member's
# subscription and by number, then those given up, in the order of giving up. Members below their
# quota, in order, take from the front of that list.
# Trusts its input: a partition reported as owned by an unknown member stays out; one with two
# owners, or one that its topic no longer has, is kept and takes the room of another, which is then
# left over, and that is an error.
# Source: Kafka `UniformHomogeneousAssignmentBuilder`, trunk 1eb7644349cb (KIP-848).
# Cost: O(M + P) for M members and P partitions, in lists and one set.


def assign_homogeneous(cluster: Cluster, group: Group) -> Assignment:
    """The assignment by quota; empty if there is no topic to read.

    Raises `PartitionAssignorException` for an unknown topic, and when partitions that are owned twice or do
    not exist take the room of others.
    """
    topics = tuple(dict.fromkeys(group.members[0].topics))
    if not topics:
        return Assignment({})
    counts = described_counts(cluster, topics)
    size, larger = divmod(sum(map(counts.__getitem__, topics)), len(group.members))
    free = unowned(topics, counts, group)
    assignment: dict[str, list[TopicPartition]] = {}
    room: list[tuple[str, int]] = []
    for place, member in enumerate(group.members):
        quota = size + (place < larger)
        held = held_by(member, topics)
        assignment[member.member_id] = held[:quota]
        free += held[quota:]
        if len(held) < quota:
            room.append((member.member_id, quota - len(held)))

    return with_free(free, assignment, room)


def with_free(
    free: Iterable[TopicPartition], kept: dict[str, list[TopicPartition]], room: Iterable[tuple[str, int]]
) -> Assignment:
    """The kept partitions, and the free ones assigned in their order to the members with room.

    Raises `PartitionAssignorException` if some are left over. Adds to the lists of `kept`.
    """
    rest = iter(free)
    for member_id, count in room:
        kept[member_id] += islice(rest, count)
    if left := len(list(rest)):
        raise PartitionAssignorException(
            f"{left} partitions are left unassigned: double or unknown ones fill the quotas"
        )
    return Assignment(kept)


def unowned(topics: Iterable[str], counts: dict[str, int], group: Group) -> list[TopicPartition]:
    """The partitions that no member is reported to own, by topic as given and by number."""
    owned = group.assigned.union(*(member.owned for member in group.members))
    return [
        tp
        for topic in topics
        for tp in map(TopicPartition, repeat(topic), range(counts[topic]))
        if tp not in owned
    ]


def held_by(member: Member, topics: tuple[str, ...]) -> list[TopicPartition]:
    """The member's current target in topics that it still reads, topic by topic in order of first mention."""
    by_topic: dict[str, list[TopicPartition]] = {}
    for tp in member.owned:
        by_topic.setdefault(tp[0], []).append(tp)
    return [tp for topic, tps in by_topic.items() if topic in topics for tp in tps]


# Uniform where members read different topics: least loaded first, then moves until no topic gains.
#
# Goals, in order: loads of a topic's subscribers within one of each other, then few moves.
# 1. Each member keeps the partitions that it owns of topics that it still reads.
# 2. Free partitions, topic by topic, go to the topic's least loaded subscribers, one each at a time.
# 3. Round after round over the topics with two subscribers or more, partitions move from the most to the
#    least loaded subscribers of the topic, until a whole round changes nothing or 16 have passed.
# Topics come by partitions per subscriber, most first; then fewer subscribers first; then topic id. Members
# come by load, then by their place in the order given; a member gives up its highest number.
# Only moves within one topic are tried: a chain of moves over two topics that would improve the balance is
# not found. In long chains of overlapping subscriptions (9 members, 8 topics of 60 partitions) the 16 rounds
# end while moves would still help, and another call continues.
# Trusts its input: two owners of a partition both keep it; a partition reported as owned by an unknown
# member is assigned; an owned partition that its topic does not have is an index error.
# Source: Kafka `UniformHeterogeneousAssignmentBuilder`, trunk 1eb7644349cb (KIP-848).
# Cost: O(16 * (S log M + P)) for S subscriptions of M members and P partitions.

ROUNDS_MAX: Final = 16
NO_OWNER: Final = -1


def assign_heterogeneous(cluster: Cluster, group: Group) -> Assignment:
    """The assignment by load; empty if no member reads anything.

    Raises `PartitionAssignorException` for an unknown topic and `ArrayIndexOutOfBoundsError` for an owned
    partition that a topic still read does not have.
    """
    counts = described_counts(cluster, group.subscribers)
    if not group.subscribers:
        return Assignment({})
    target = _Target(group, counts)
    topics = _by_need(cluster, target.readers)
    _place_free(topics, target)
    _balance([topic for topic in topics if len(target.readers[topic]) > 1], target)
    return target.answer()


class _Target:
    """The target assignment under construction; members are numbers, in the order given.

    `owners` knows one owner a partition, `sizes` and `given` whatever each member was listed with: a
    partition listed with two members counts for both and stays with both.
    """

    def __init__(self, group: Group, counts: dict[str, int]) -> None:
        self.member_ids = [member.member_id for member in group.members]
        number = {member_id: i for i, member_id in enumerate(self.member_ids)}
        self.readers = {topic: [number[m] for m in ids] for topic, ids in group.subscribers.items()}
        self.owners = {topic: [NO_OWNER] * counts[topic] for topic in self.readers}
        self.assignment: list[dict[TopicPartition, None]] = []
        for i, member in enumerate(group.members):
            reads = frozenset(member.topics)
            kept = [tp for tp in member.owned if tp[0] in reads]
            for topic, partition in kept:
                if not 0 <= partition < counts[topic]:
                    raise ArrayIndexOutOfBoundsError(
                        f"{member.member_id} owns {topic}-{partition}, out of bounds for {counts[topic]}"
                    )
                self.owners[topic][partition] = i
            self.assignment.append(dict.fromkeys(kept))
        self.sizes = [len(tps) for tps in self.assignment]

    def assign(self, tp: TopicPartition, member: int) -> None:
        """Assign the partition to the member, and take it from its owner if it has one."""
        owners = self.owners[tp.topic]
        before = owners[tp.partition]
        if before != NO_OWNER:
            self.assignment[before].pop(tp, None)
            self.sizes[before] -= 1
        self.assignment[member][tp] = None
        self.sizes[member] += 1
        owners[tp.partition] = member

    def answer(self) -> Assignment:
        """Each member's partitions, in member order."""
        return Assignment(dict(zip(self.member_ids, self.assignment)))


def _by_need(cluster: Cluster, readers: dict[str, list[int]]) -> list[str]:
    """Topics by partitions per subscriber, most first; then fewer subscribers; then topic id."""

    def key(name: str) -> tuple[float, int, tuple[int, int]]:
        topic, size = by_name[name], len(readers[name])
        return -topic.partitions / size, size, topic_id_key(topic)

    by_name = {topic.name: topic for topic in cluster.topics}
    return sorted(readers, key=key)


def _place_free(topics: Sequence[str], target: _Target) -> None:
    """Assign each topic's free partitions to its least loaded subscribers, one each at a time."""
    for topic in topics:
        free = [p for p, owner in enumerate(target.owners[topic]) if owner == NO_OWNER]
        if free:
            scale = _Scale(target.readers[topic], target.sizes)
            for partition in free:
                target.assign(TopicPartition(topic, partition), scale.next_least())


def _balance(topics: Sequence[str], target: _Target) -> None:
    """Balance one topic after another; stop after a whole round without a move."""
    last_changed = None
    for _ in range(ROUNDS_MAX):
        for i, topic in enumerate(topics):
            if i == last_changed:
                return
            if _balance_topic(topic, target) or last_changed is None:
                last_changed = i


def _balance_topic(topic: str, target: _Target) -> bool:
    """Move the topic's partitions from its most to its least loaded subscribers; whether any moved."""
    scale = _Scale(target.readers[topic], target.sizes)
    if scale.balanced_from_start:
        return False
    # A member that gains a partition here loses none here: these lists only shrink.
    offers: dict[int, list[int]] = {}
    for partition, owner in enumerate(target.owners[topic]):
        offers.setdefault(owner, []).append(partition)
    moved = False
    while (giver := scale.next_most(offers)) is not None:
        partition = offers[giver].pop()
        taker = scale.next_least()
        if scale.balanced:
            break
        target.assign(TopicPartition(topic, partition), taker)
        moved = True
    return moved


class _Scale:
    """A topic's subscribers by load, and two ranges that approach each other.

    The least range grows from the front: it yields its members one by one, each pass is one level of load,
    and before each pass the members at that level join. The most range grows from the back in the same way,
    downwards; members with nothing to give are swapped to its outer end and cut off. `sizes` is live: the
    caller must use every member that it gets.
    """

    def __init__(self, members: Sequence[int], sizes: list[int]) -> None:
        self._sizes = sizes
        self._order = sorted(members, key=sizes.__getitem__)
        low, high = sizes[self._order[0]], sizes[self._order[-1]]
        self.balanced_from_start = high - low <= 1
        self._least_level, self._least_end, self._least_next = low - 1, 0, 0
        self._most_level = high + 1
        self._most_start = self._most_end = len(self._order)
        self._most_next = len(self._order) - 1

    @property
    def balanced(self) -> bool:
        """Whether the two ranges are at most one level apart."""
        return self._most_level - self._least_level <= 1

    def next_least(self) -> int:
        """The next member of the least loaded range."""
        order, sizes = self._order, self._sizes
        if self._least_next >= self._least_end:
            self._least_level += 1
            while self._least_end < len(order) and sizes[order[self._least_end]] == self._least_level:
                self._least_end += 1
            self._least_next = 0
        self._least_next += 1
        return order[self._least_next - 1]

    def next_most(self, offers: dict[int, list[int]]) -> int | None:
        """The next member of the most loaded range that has something to give, or None."""
        order = self._order
        while not self.balanced:
            if self._most_next < self._most_start:
                self._extend_most()
            if self._most_next < 0:
                return None
            member, place = order[self._most_next], self._most_next
            self._most_next -= 1
            if offers.get(member):
                return member
            self._most_end -= 1
            order[place], order[self._most_end] = order[self._most_end], member
        return None

    def _extend_most(self) -> None:
        """Extend to the next lower level, or to the next lower member if the range is used up."""
        order, sizes = self._order, self._sizes
        if self._most_end <= self._most_start and self._most_start > 0:
            self._most_level = sizes[order[self._most_start - 1]]
        else:
            self._most_level -= 1
        while self._most_start > 0 and sizes[order[self._most_start - 1]] == self._most_level:
            self._most_start -= 1
        self._most_next = self._most_end - 1


@reference(
    "uniform",
    kind=SERVER,
    claims=("balanced-within-one", "deterministic"),
    source="org.apache.kafka.coordinator.group.assignor.UniformAssignor",
    since="4.0.0",
)
class Uniform(AssignorBase):
    """Spreads all partitions evenly over the members and moves few."""

    name = "uniform"

    def with_equal_subscriptions(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions where all read the same topics."""
        return assign_homogeneous(cluster, group)

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions; raises `PartitionAssignorException` for a missing topic."""
        if not group.members:
            return Assignment({})
        if group.homogeneous:
            return self.with_equal_subscriptions(cluster, group)
        return assign_heterogeneous(cluster, group)

"""Sticky where subscriptions differ: keep everything, assign the rest to the least loaded, then balance.

The least loaded of some members while partitions are assigned and moved.

Loads are the lengths of the members' lists; the members' numbers break ties.

The moves of a rebalance so far, so that no partition goes back and forth.

If a partition of a topic is to move from A to B, and another partition of that topic has moved from B to A,
the other one goes back instead. The partition sent back is the first of a `java.util.HashSet`: of the lowest
bucket, which depends on how large the set has ever been.
Source: Kafka client `AbstractStickyAssignor.PartitionMovements` 3.9.1 (KIP-54).

1. Keep owned partitions of topics that the member still reads (with racks: only matching ones).
2. Assign the others, topics with the fewest subscribers first (then by name), each partition to its least
   loaded subscriber; with racks first whatever finds a matching subscriber, then the rest.
3. Set aside topics with one subscriber and members that can neither gain nor lose.
4. Move partitions until none has a subscriber with a load two lower than its owner's: first newly assigned
   ones (unless something had to be revoked), then all. A partition goes to its owner of an older generation
   if that one's load is two lower, else to its least loaded subscriber; `PartitionMovements` may swap it for
   another of its topic. Undo the moves if they did not lower the sum of pairwise differences in load.

Tie-breaks: equal loads by member id in Java's order.
Kafka's bugs kept: the owner of an older generation gets a partition back although it no longer reads its
topic; if it was set aside, NullPointerException; owned partitions beyond a topic's count are kept and count
as load.
Racks do not matter in step 4: Kafka looks for a less loaded subscriber in the rack and then takes the least
loaded of all.
Source: Kafka client `AbstractStickyAssignor.GeneralAssignmentBuilder` 3.9.1 (KIP-54, KIP-341, KIP-881).
Cost: O(S + P log M) a pass for S topic subscriptions; Kafka does not bound the number of passes.
It is fast because of one heap a topic: partitions of a topic come together in Kafka's order, and only
assignments and moves change loads, so finding the least loaded subscriber takes O(log M).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from heapq import heapify, heappop, heappush, heapreplace
from itertools import groupby

from kassay.assignors.groups.client.sticky_owned import (
    NO_RACKS,
    OwnedPartitions,
    Partitions,
    RackInfo,
    unassigned,
)
from kassay.assignors.java_errors import NoSuchElementError, NullPointerError
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Member
from kassay.model.java import bucket, partition_hash, utf16_sorted

Loads = Mapping[int, Sized]


class Heap:
    """Members of which only the least loaded ever gains a partition."""

    def __init__(self, owned: Loads, members: Iterable[int]) -> None:
        self._entries = [(len(owned[member]), member) for member in members]
        heapify(self._entries)

    def lightest(self) -> tuple[int, int]:
        """The least load, and the member that has it."""
        return self._entries[0]

    def load_lightest(self) -> int:
        """The least loaded member, whose load grows by one."""
        load, member = self._entries[0]
        heapreplace(self._entries, (load + 1, member))
        return member


class Lightest:
    """The least loaded of the members while loads rise and fall.

    Each change adds a new entry; outdated entries stay in the heap until they reach the top.
    """

    def __init__(self, owned: Loads, members: Iterable[int]) -> None:
        self._owned = owned
        self._members = frozenset(members)
        self._entries = [(len(owned[member]), member) for member in self._members]
        heapify(self._entries)

    def first(self) -> int:
        """The least loaded member now."""
        entries, owned = self._entries, self._owned
        while len(owned[entries[0][1]]) != entries[0][0]:
            heappop(entries)
        return entries[0][1]

    def changed(self, member: int) -> None:
        """Record that the load of a member, which may be outside the heap, has changed."""
        if member in self._members:
            heappush(self._entries, (len(self._owned[member]), member))


Pair = tuple[int, int]


class MovedPartitions:
    """Partitions in the order of a `java.util.HashSet`; its table grows and never shrinks."""

    def __init__(self) -> None:
        self._added: dict[TopicPartition, int] = {}
        self._order: list[tuple[int, int, TopicPartition]] = []
        self._additions = 0
        self._table = 16

    @property
    def count(self) -> int:
        """The number of partitions."""
        return len(self._added)

    def add(self, tp: TopicPartition) -> None:
        """Add a partition that is not in the set."""
        self._additions += 1
        self._added[tp] = self._additions
        heappush(self._order, self._placed(tp))
        if 4 * self.count > 3 * self._table:
            self._table *= 2
            self._order = [self._placed(each) for each in self._added]
            heapify(self._order)

    def remove(self, tp: TopicPartition) -> None:
        """Remove a partition; its entry stays in the order until it comes first."""
        del self._added[tp]

    def first(self) -> TopicPartition:
        """The first partition of a set that is not empty."""
        while self._added.get(self._order[0][2]) != self._order[0][1]:
            heappop(self._order)
        return self._order[0][2]

    def _placed(self, tp: TopicPartition) -> tuple[int, int, TopicPartition]:
        return bucket(partition_hash(tp.topic, tp.partition), self._table), self._added[tp], tp


class PartitionMovements:
    """The moves so far, each from the first owner to the present one; members are numbers."""

    def __init__(self) -> None:
        self._pairs: dict[TopicPartition, Pair] = {}
        self._by_topic: dict[str, dict[Pair, MovedPartitions]] = {}

    def to_be_moved(self, tp: TopicPartition, source: int, target: int) -> TopicPartition:
        """The partition that really moves when this one is to go from source to target."""
        of_topic = self._by_topic.get(tp.topic)
        if not of_topic:
            return tp
        if tp in self._pairs:
            source = self._pairs[tp][0]
        back = of_topic.get((target, source))
        return tp if back is None else back.first()

    def record(self, tp: TopicPartition, source: int, target: int) -> None:
        """Record the move; one that leads back to the first owner removes the record."""
        if tp in self._pairs:
            source = self._forget(tp)
            if source == target:
                return
        pair = (source, target)
        self._pairs[tp] = pair
        of_topic = self._by_topic.setdefault(tp.topic, {})
        if pair not in of_topic:
            of_topic[pair] = MovedPartitions()
        of_topic[pair].add(tp)

    def _forget(self, tp: TopicPartition) -> int:
        """Remove the partition's record and return its first owner."""
        pair = self._pairs.pop(tp)
        of_topic = self._by_topic[tp.topic]
        of_topic[pair].remove(tp)
        if not of_topic[pair].count:
            del of_topic[pair]
        return pair[0]


Owned = dict[int, list[TopicPartition]]


class GeneralBalance:
    """One assignment under construction. Members are numbers in the order of their ids, which breaks ties.

    `owned` has no entry for members set aside: looking them up is Kafka's NullPointerException.
    """

    def __init__(
        self,
        partitions: Partitions,
        members: tuple[Member, ...],
        reported: OwnedPartitions,
        racks: RackInfo,
        highest: int,
    ) -> None:
        self._names = utf16_sorted(member.member_id for member in members)
        numbers = {member_id: number for number, member_id in enumerate(self._names)}
        self._reads: dict[int, list[str]] = {
            numbers[member.member_id]: [topic for topic in member.topics if topic in partitions]
            for member in members
        }
        self._readers: dict[str, list[int]] = {topic: [] for topic in utf16_sorted(partitions)}
        for member, topics in self._reads.items():
            for topic in topics:
                self._readers[topic].append(member)
        in_order = sorted(self._readers, key=lambda topic: len(self._readers[topic]))
        self._partitions = {topic: partitions[topic] for topic in in_order}
        self._total = sum(map(len, partitions.values()))
        self._racks = racks
        self._owned: Owned = {numbers[member_id]: owned for member_id, owned in reported.owned.items()}
        self._owner = {tp: member for member, owned in self._owned.items() for tp in owned}
        self._former = _former_owners(reported, numbers, highest)
        self._movements = PartitionMovements()
        self._revoked = False
        self._balanced: bool | None = None
        self._strict = any(len(set(topics)) < len(topics) for topics in self._reads.values()) or any(
            tp.topic in partitions and tp.topic not in self._reads[former]
            for tp, former in self._former.items()
        )

    def run(self) -> dict[str, list[TopicPartition]]:
        """Each member's partitions; raises what Kafka raises when it looks up a member set aside."""
        for member, owned in self._owned.items():
            self._owned[member] = self._keep(member, owned)
        kept = [tp for owned in self._owned.values() for tp in owned]
        free = unassigned(self._partitions, kept)
        self._strict = self._strict or len(free) + len(kept) != self._total
        initial = not kept
        left = self._deal(free, self._racks) if self._racks.members else free
        self._deal(left, NO_RACKS)
        aside = self._set_aside()
        before = {member: owned.copy() for member, owned in self._owned.items()}
        movable = {topic: tps for topic, tps in self._partitions.items() if self._is_shared(topic)}
        if not self._revoked:
            assigned = {topic: tuple(tps) for topic, tps in _by_topic(free) if topic in movable}
            self._even_out(assigned)
        moved = self._even_out(movable)
        if moved and not initial and _imbalance(self._owned) >= _imbalance(before):
            self._owned = before
        return {self._names[member]: owned for member, owned in (self._owned | aside).items()}

    def _keep(self, member: int, owned: list[TopicPartition]) -> list[TopicPartition]:
        reads, name, racks = set(self._reads[member]), self._names[member], self._racks
        kept = [tp for tp in owned if tp[0] in reads]
        if racks.members:
            kept = [tp for tp in kept if not racks.mismatch(name, tp)]
        if len(kept) < len(owned):
            self._revoked = True
        return kept

    def _deal(self, free: Iterable[TopicPartition], racks: RackInfo) -> list[TopicPartition]:
        """Assign each partition to its least loaded subscriber in one of its racks; returns the others."""
        left: list[TopicPartition] = []
        for topic, tps in _by_topic(free):
            by_rack: dict[str | None, list[int]] = {}
            for member in set(self._readers[topic]):
                by_rack.setdefault(racks.members.get(self._names[member]), []).append(member)
            heaps = {rack: Heap(self._owned, members) for rack, members in by_rack.items()}
            anywhere = heaps.get(None)
            for tp in tps:
                heap = anywhere
                for rack in racks.of_partition(tp) & heaps.keys():
                    heap = _lighter(heap, heaps[rack])
                if heap is None:
                    left.append(tp)
                else:
                    member = heap.load_lightest()
                    self._owned[member].append(tp)
                    self._owner[tp] = member
        return left

    def _is_shared(self, topic: str) -> bool:
        return len(self._readers[topic]) >= 2

    def _set_aside(self) -> Owned:
        """Remove the members that can neither gain nor lose a partition."""
        fixed = [
            member
            for member, owned in self._owned.items()
            if len(owned) >= self._capacity(member) and not any(self._is_shared(tp.topic) for tp in owned)
        ]
        return {member: self._owned.pop(member) for member in fixed}

    def _capacity(self, member: int) -> int:
        topics = self._reads[member]
        if len(topics) == len(self._partitions):
            return self._total
        return sum(len(self._partitions[topic]) for topic in topics)

    def _even_out(self, topics: Partitions) -> bool:
        """Move partitions of these topics while that improves the balance; whether any moved."""
        moved = False
        while self._pass_over(topics):
            moved = True
        return moved

    def _pass_over(self, topics: Partitions) -> bool:
        if not topics:
            return False
        if not self._owned:
            raise NoSuchElementError("every member is set aside and partitions are left to balance")
        loads = [len(owned) for owned in self._owned.values()]
        heaviest = max(loads)
        if heaviest - min(loads) <= 1:
            return False
        moved = False
        for topic, tps in topics.items():
            readers = [member for member in set(self._readers[topic]) if member in self._owned]
            if self._strict or heaviest > min(len(self._owned[member]) for member in readers) + 1:
                moved |= self._even_out_topic(tps, Lightest(self._owned, readers))
        return moved

    def _even_out_topic(self, tps: Iterable[TopicPartition], readers: Lightest) -> bool:
        moved = False
        for tp in tps:
            if self._strict and self._is_balanced():
                break
            load = len(self._owned[self._owner[tp]])
            former = self._former.get(tp)
            if former is not None and load > self._load(former) + 1:
                self._move(tp, former, readers)
            elif self._has_lighter_reader(tp, load, readers):
                self._move(tp, readers.first(), readers)
            else:
                continue
            moved = True
        return moved

    def _has_lighter_reader(self, tp: TopicPartition, load: int, readers: Lightest) -> bool:
        if not self._strict:
            return load > len(self._owned[readers.first()]) + 1
        return any(load > self._load(member) + 1 for member in self._readers[tp.topic])

    def _load(self, member: int) -> int:
        try:
            return len(self._owned[member])
        except KeyError:
            raise NullPointerError(f"{self._names[member]} takes no part in balancing") from None

    def _move(self, tp: TopicPartition, target: int, readers: Lightest) -> None:
        tp = self._movements.to_be_moved(tp, self._owner[tp], target)
        source = self._owner[tp]
        self._movements.record(tp, source, target)
        self._owned[source].remove(tp)
        self._owned[target].append(tp)
        self._owner[tp] = target
        readers.changed(source)
        readers.changed(target)
        self._balanced = None

    def _is_balanced(self) -> bool:
        """Kafka's `isBalanced`, which ends a pass.

        It matters only if a move could follow that does not improve the balance among subscribers (to an
        older owner that no longer reads the topic, or of a partition counted twice); otherwise nothing could
        move anyway.
        """
        if self._balanced is None:
            self._balanced = self._compute_balanced()
        return self._balanced

    def _compute_balanced(self) -> bool:
        loads = {member: len(owned) for member, owned in self._owned.items()}
        if max(loads.values()) - min(loads.values()) <= 1:
            return True
        owner = {tp: member for member, owned in self._owned.items() for tp in owned}
        for member in sorted(loads, key=lambda member: (loads[member], member)):
            if loads[member] == self._capacity(member):
                continue
            mine = set(self._owned[member])
            for topic in self._reads[member]:
                for tp in self._partitions[topic]:
                    if tp not in mine and loads[member] + 1 < loads[owner[tp]]:
                        return False
        return True


def _former_owners(
    reported: OwnedPartitions, numbers: dict[str, int], highest: int
) -> dict[TopicPartition, int]:
    """The owner of each partition in the latest generation before the highest; the first of several."""
    former: dict[TopicPartition, tuple[int, int]] = {}
    for member_id, report in reported.stated.items():
        if report.generation < highest:
            for tp in report.owned:
                if tp not in former or report.generation > former[tp][0]:
                    former[tp] = (report.generation, numbers[member_id])
    return {tp: member for tp, (_, member) in former.items()}


def _by_topic(tps: Iterable[TopicPartition]) -> Iterator[tuple[str, Iterator[TopicPartition]]]:
    return groupby(tps, key=lambda tp: tp[0])


def _lighter(one: Heap | None, other: Heap) -> Heap:
    return other if one is None or other.lightest() < one.lightest() else one


def _imbalance(owned: Owned) -> int:
    """The sum of the differences in load over all pairs of members."""
    loads = sorted(map(len, owned.values()))
    return sum(load * (2 * place - len(loads) + 1) for place, load in enumerate(loads))

"""What the sticky assignors know of members: owned partitions in their user data, conflicts, racks.

Encoding and decoding of the bytes that Kafka's sticky assignors put into a subscription.

`sticky` sends what its member owned and the generation in which it got it; before Kafka 2.3 it sent no
generation. `cooperative-sticky` sends the generation alone. All integers are big-endian.

    sticky, version 0        array of (topic, array of int32)
    sticky, version 1        the same, then generation int32
    cooperative-sticky       generation int32

An array starts with its int32 length, a topic is an int16 length and UTF-8.
Source: KIP-54, KIP-341, KIP-429; Kafka client `StickyAssignor` and `CooperativeStickyAssignor` 3.9.1.

Which owned partitions a member keeps when a sticky group rebalances, before any are assigned.

Members are visited in the order of the leader's map. A partition that two members report goes to the one with
the higher generation; with equal generations neither keeps it. Kafka reads the visited member's generation
from its user data, but that of the earlier member from its subscription; where the two differ, so do answers.
Kafka finds in the same pass whether all subscriptions are equal, so this is here too. A member with an empty
subscription does not count against that as long as only such members came before it.
Source: Kafka client `AbstractStickyAssignor` 3.9.1; KIP-341, KIP-792.

The racks that the sticky assignors use.

Racks are matched if a member has a rack, some replica is in such a rack, and the partitions do not all
have the same racks. A member without a rack mismatches nothing.
Source: Kafka client `AbstractStickyAssignor.RackInfo` 3.9.1; KIP-881.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from struct import Struct, error, pack, unpack_from
from typing import Final, NamedTuple

from kassay.assignors.groups.client.range import worth_matching
from kassay.model.cluster import Cluster, TopicPartition, numbered, numbers_by_topic
from kassay.model.groups.group import NO_GENERATION, Member
from kassay.model.java import hash_map_order

INT16: Final = Struct(">h")
INT32: Final = Struct(">i")
DECODED: Final = 256
"""How many members' data is cached: a leader often gets the same group again."""
Runs = Sequence[tuple[str, Sequence[int]]]


class UserDataOwned(NamedTuple):
    """The partitions that a member reports as owned, and their generation (-1: not reported)."""

    owned: tuple[TopicPartition, ...] = ()
    generation: int = NO_GENERATION


def sticky_user_data(owned: Iterable[TopicPartition], generation: int | None) -> bytes:
    """What `StickyAssignor` sends for these partitions, topic by topic in the order of Java's hash table.

    Version 1, or version 0 where `generation` is None.
    """
    by_topic = numbers_by_topic(owned)
    # `HashMap.computeIfAbsent` puts a new key before those that share its bucket, `put` after them.
    in_order = hash_map_order(reversed(by_topic))
    return encode_sticky([(topic, by_topic[topic]) for topic in in_order], generation)


def encode_sticky(runs: Runs, generation: int | None) -> bytes:
    """Version 1 of the sticky user data, or version 0 where `generation` is None."""
    parts = [INT32.pack(len(runs))]
    for topic, numbers in runs:
        name = topic.encode("utf-8", "surrogatepass")
        parts += (
            INT16.pack(len(name)),
            name,
            INT32.pack(len(numbers)),
            pack(f">{len(numbers)}i", *numbers),
        )
    if generation is not None:
        parts.append(INT32.pack(generation))
    return b"".join(parts)


@lru_cache(maxsize=DECODED)
def decode_sticky(data: bytes | None) -> UserDataOwned:
    """The ownership in a member's sticky user data; empty if the data is missing or malformed."""
    if not data:
        return UserDataOwned()
    try:
        owned, end = _decode_owned(data)
    except (error, ValueError):
        return UserDataOwned()
    # Data too short for a generation is version 0, as Kafka falls back to its older schema.
    generation = INT32.unpack_from(data, end)[0] if len(data) - end >= INT32.size else NO_GENERATION
    return UserDataOwned(tuple(owned), generation)


def _decode_owned(data: bytes) -> tuple[list[TopicPartition], int]:
    """The partitions at the start of the data, and the offset after them."""
    owned: list[TopicPartition] = []
    topics, at = _read_length(INT32, data, 0)
    for _ in range(topics):
        size, at = _read_length(INT16, data, at)
        topic = data[at : at + size].decode("utf-8", "replace")
        count, at = _read_length(INT32, data, at + size)
        owned += numbered(topic, unpack_from(f">{count}i", data, at))
        at += count * INT32.size
    return owned, at


def _read_length(kind: Struct, data: bytes, at: int) -> tuple[int, int]:
    """A length and the offset after it; no length is negative or exceeds the remaining bytes."""
    length: int = kind.unpack_from(data, at)[0]
    at += kind.size
    if not 0 <= length <= len(data) - at:
        raise ValueError(f"a length of {length} with {len(data) - at} bytes left")
    return length, at


def encode_generation(generation: int) -> bytes:
    """The bytes that `CooperativeStickyAssignor` sends."""
    return INT32.pack(generation)


def decode_generation(data: bytes | None) -> int:
    """The generation in a member's cooperative user data, -1 if there is none."""
    if data is None or len(data) < INT32.size:
        return NO_GENERATION
    generation: int = INT32.unpack_from(data)[0]
    return generation


Partitions = Mapping[str, tuple[TopicPartition, ...]]


class OwnedPartitions(NamedTuple):
    """The members' valid owned partitions.

    `stated` is what each member reported, `owned` the valid part of it, `contested` the partitions that
    several members reported in one generation, `highest` the highest generation of all.
    """

    stated: dict[str, UserDataOwned]
    owned: dict[str, list[TopicPartition]]
    contested: set[TopicPartition]
    highest: int
    equal_subscriptions: bool


def weigh_owned(
    members: Iterable[Member], topics: Container[str], read: Callable[[Member], UserDataOwned]
) -> OwnedPartitions:
    """The valid owned partitions of existing topics; `read` takes a member's report from a subscription."""
    stated: dict[str, UserDataOwned] = {}
    owned: dict[str, list[TopicPartition]] = {}
    contested: set[TopicPartition] = set()
    reporters: dict[TopicPartition, Member] = {}
    highest = NO_GENERATION
    subscribed: set[str] = set()
    equal = True
    for member in members:
        if not subscribed:
            subscribed = set(member.topics)
        elif equal:
            equal = len(member.topics) == len(subscribed) and subscribed.issuperset(member.topics)
        report = stated[member.member_id] = read(member)
        highest = max(highest, report.generation)
        mine = owned[member.member_id] = []
        for tp in report.owned:
            if tp[0] not in topics:
                continue
            other = reporters.get(tp)
            if other is None:
                mine.append(tp)
                reporters[tp] = member
                continue
            theirs = max(other.generation, NO_GENERATION)
            if report.generation < theirs:
                continue
            if report.generation == theirs:
                contested.add(tp)
            else:
                mine.append(tp)
            _drop(owned[other.member_id], tp)
            reporters[tp] = member
    return OwnedPartitions(stated, owned, contested, highest, equal)


def _drop(tps: list[TopicPartition], tp: TopicPartition) -> None:
    if tp in tps:
        tps.remove(tp)


def unassigned(partitions: Partitions, assigned: Iterable[TopicPartition]) -> list[TopicPartition]:
    """The partitions that are not assigned, topics in the order of the mapping.

    Kafka walks the sorted lists of all and of assigned partitions in parallel. It waits in vain for an
    assigned partition that does not exist, so that every later partition counts as unassigned.
    """
    taken = set(assigned)
    free = [tp for tps in partitions.values() for tp in tps if tp not in taken]
    if len(free) + len(taken) == sum(map(len, partitions.values())):
        return free
    rank = {topic: place for place, topic in enumerate(partitions)}
    missing = min((rank[topic], p) for topic, p in taken if not 0 <= p < len(partitions[topic]))
    return [
        tp
        for tps in partitions.values()
        for tp in tps
        if tp not in taken or (rank[tp.topic], tp.partition) > missing
    ]


_NOWHERE: Final[frozenset[str]] = frozenset()


class RackInfo:
    """The racks of members and partitions; both empty where racks are not matched."""

    def __init__(
        self, members: Mapping[str, str], partitions: Mapping[TopicPartition, frozenset[str]]
    ) -> None:
        self.members = members
        self._partitions = partitions
        self._readers = Counter(members.values())

    @classmethod
    def of(
        cls, cluster: Cluster, partitions: Partitions, members: Iterable[Member], *, prefer: bool
    ) -> RackInfo:
        """The racks to match for these members and topics; `prefer` matches even where it has no effect."""
        racks = {member.member_id: member.rack for member in members if member.rack}
        if not racks:
            return NO_RACKS
        known = cluster.replica_racks
        by_partition = {
            tp: known[topic][tp.partition] if topic in known else _NOWHERE
            for topic, tps in partitions.items()
            for tp in tps
        }
        if not worth_matching(racks.values(), by_partition.values(), prefer=prefer):
            return NO_RACKS
        return cls(racks, by_partition)

    def of_partition(self, tp: TopicPartition) -> frozenset[str]:
        """The racks with a replica of the partition."""
        return self._partitions.get(tp, _NOWHERE)

    def mismatch(self, member_id: str, tp: TopicPartition) -> bool:
        """Whether the member has a rack and the partition no replica in it."""
        rack = self.members.get(member_id)
        return rack is not None and rack not in self.of_partition(tp)

    def rarest_first(self, tps: list[TopicPartition]) -> list[TopicPartition]:
        """The partitions by the number of members in one of their racks; equal ones keep their order."""
        return sorted(tps, key=lambda tp: sum(self._readers[rack] for rack in self.of_partition(tp)))

    def next_member(self, tp: TopicPartition, member_ids: Sequence[str], first: int) -> int | None:
        """The place of the next member in a rack of the partition, going round from `first`."""
        racks = self.of_partition(tp)
        size = len(member_ids)
        if not racks:
            return None
        places = chain(range(first, size), range(min(first, size)))
        return next((place for place in places if self.members.get(member_ids[place]) in racks), None)


NO_RACKS: Final = RackInfo({}, {})

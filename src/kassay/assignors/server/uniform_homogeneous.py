"""Uniform of 4.0.0 where all members read the same topics: quotas in member order, then free partitions.

Goals, in order: loads within one of each other, then few moves.
The quota is the share of each member rounded down; the first members in the order given, as many
as there are partitions left over, have one more. So the extra partition goes to the first members and
not to its owner, which costs moves that a better rule avoids.
A member keeps the first partitions of its current target up to its quota, taken topic by topic.
Free partitions are those that no member is reported to own, by topic in the order of the first member's
subscription and by number, then those given up, in the order of giving up. Members below their
quota, in order, take from the front of that list.
Trusts its input: a partition reported as owned by an unknown member stays out; one with two
owners, or one that its topic no longer has, is kept and takes the room of another, which is then
left over, and that is an error.
Source: Kafka `UniformHomogeneousAssignmentBuilder`, trunk 1eb7644349cb (KIP-848).
Cost: O(M + P) for M members and P partitions, in lists and one set.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, repeat

from kassay.assignors.server.topics import PartitionAssignorException, described_counts
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member


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

    return dealt(free, assignment, room)


def dealt(
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

"""Share-simple of 4.1: by the hash of the member's id, then previous partitions, then round robin.

Goals, in order: no member without a partition, no partition without a member, and few changes.
Where all members read the same topics, with the quota `ceil(partitions / members)`:
1. Every member gets the one assignable partition at the hash of its id modulo their number.
2. Of its previous partitions in topics that it still reads, it keeps those that no member got by hash, until
   it has the quota.
3. Partitions without a member go round the members in order; a member above the quota is skipped from then
   on. So a member may have one above the quota, and members with the same hash share a partition while others
   have several.
Where they read different topics:
1. Every member that reads something gets the partition at its hash among those that it may have.
2. Partitions that no member got and no member had before go round the readers of their topic.
3. Each member keeps its previous partitions of topics that it reads, unless another got them in 1 or 2; there
   is no quota, so that a single previous owner keeps everything.
A member's previous partitions are visited in the order of Java's hash table over topic ids and numbers, and
the readers in step 2 come in the order of the hash table over member ids. A partition that is no longer
assignable, or missing, stays with its previous members.
Source: Kafka `org.apache.kafka.coordinator.group.assignor.SimpleAssignor`, branch 4.1 (KAFKA-18757, 18901,
19344).
Cost: O(M + P + C log C) for M members, P partitions and C copies held, with a sort by hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle

from kassay.assignors.groups.server.topics import (
    PartitionAssignorException,
    assignable_of,
    described_counts,
    partition_hashes,
)
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import SHARE
from kassay.model.java import computed_order, hash_map_order, remainder, string_hash

_Owners = dict[TopicPartition, list[str]]


@reference(
    "share-simple",
    kind=SHARE,
    claims=("assignable", "deterministic"),
    source="org.apache.kafka.coordinator.group.assignor.SimpleAssignor",
    since="4.1",
)
class ShareByHash(AssignorBase):
    """Assigns every member a partition by the hash of its id, and shares the rest."""

    name = "simple"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions; empty where all members read nothing.

        Raises `PartitionAssignorException` for a missing topic.
        """
        if not group.members or (group.homogeneous and not group.members[0].topics):
            return Assignment({})
        described_counts(cluster, group.subscribers)
        held = _holders(cluster, group.members)
        if group.homogeneous:
            return _with_quota(_targets(cluster, group, group.members[0]), held, group)
        return _by_topic(cluster, held, group)


def _targets(cluster: Cluster, group: Group, member: Member) -> list[TopicPartition]:
    """The assignable partitions that the member may have, by topic as listed and by number."""
    return [tp for topic in dict.fromkeys(member.topics) for tp in assignable_of(cluster, group, topic)]


def _holders(cluster: Cluster, members: Iterable[Member]) -> _Owners:
    """The present members of each partition, in the order of Java's hash table of partitions."""
    held: _Owners = {}
    for member in members:
        for tp in member.owned:
            held.setdefault(tp, []).append(member.member_id)
    owned = [tp for member in members for tp in member.owned]
    return {tp: held[tp] for tp in computed_order(owned, partition_hashes(cluster, held))}


def _by_hash(member_id: str, targets: list[TopicPartition]) -> TopicPartition:
    return targets[abs(remainder(string_hash(member_id), len(targets)))]


def _with_quota(targets: list[TopicPartition], held: _Owners, group: Group) -> Assignment:
    """The answer where all read the same: by hash, previous partitions up to the quota, then round robin."""
    ids = [member.member_id for member in group.members]
    topics = frozenset(group.members[0].topics)
    quota = -(-len(targets) // len(ids))
    given: dict[str, dict[TopicPartition, None]] = {member_id: {} for member_id in ids}
    if targets:
        for member_id in ids:
            given[member_id][_by_hash(member_id, targets)] = None
    hashed = {tp for tps in given.values() for tp in tps}
    for tp, holders in held.items():
        if tp[0] in topics and tp not in hashed:
            for member_id in holders:
                if len(given[member_id]) < quota:
                    given[member_id][tp] = None
    taken = {tp for tps in given.values() for tp in tps}
    turns = _turns(ids, given, quota)
    for tp in targets:
        if tp not in taken:
            given[next(turns)][tp] = None
    return Assignment(given)


def _turns(ids: list[str], given: dict[str, dict[TopicPartition, None]], quota: int) -> Iterator[str]:
    """The members, round after round, without those that had more than the quota when their turn came."""
    while ids:
        left = []
        for member_id in ids:
            if len(given[member_id]) <= quota:
                left.append(member_id)
                yield member_id
        ids = left
    raise PartitionAssignorException("every member has more than its share, and partitions are left")


def _by_topic(cluster: Cluster, held: _Owners, group: Group) -> Assignment:
    """The answer where members read different topics: by hash, round robin, then all previous partitions."""
    by_id = group.by_id
    readers = hash_map_order(member.member_id for member in group.members if member.topics)
    targets = {member_id: _targets(cluster, group, by_id[member_id]) for member_id in readers}
    fresh: dict[TopicPartition, list[str]] = {}
    for member_id in readers:
        if targets[member_id]:
            fresh.setdefault(_by_hash(member_id, targets[member_id]), []).append(member_id)
    hashed = set(fresh)
    turns = {
        topic: cycle([member_id for member_id in readers if topic in by_id[member_id].topics])
        for topic in group.subscribers
    }
    for tp in dict.fromkeys(tp for tps in targets.values() for tp in tps):
        if tp not in hashed and tp not in held:
            fresh[tp] = [next(turns[tp[0]])]
    given: dict[str, dict[TopicPartition, None]] = {member.member_id: {} for member in group.members}
    for tp, ids in fresh.items():
        for member_id in ids:
            given[member_id][tp] = None
    reading = {topic for tps in targets.values() for topic, _ in tps}
    for tp, holders in held.items():
        for member_id in holders:
            if tp[0] in by_id[member_id].topics and tp[0] in reading and tp not in fresh:
                given[member_id][tp] = None
    return Assignment(given)

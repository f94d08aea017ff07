"""Faulty assignors of consumer groups: round robin, and then something done to the answer."""

from __future__ import annotations

from kassay.assignors.client.ceil_range import CeilRange
from kassay.assignors.client.roundrobin import RoundRobin
from kassay.assignors.registry import COOPERATIVE
from kassay.certify.faulty.registry import control
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group

PartitionsByMember = dict[str, tuple[TopicPartition, ...]]


class _Wrong(AssignorBase):
    """Round robin, and then something done to the answer."""

    name = "control"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The spoilt answer."""
        return Assignment(self.spoil(cluster, group, dict(RoundRobin().assign(cluster, group).items())))

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer with the fault in it."""
        raise NotImplementedError


@control("loses-last", breaks="complete")
class LosesLast(_Wrong):
    """The last partition of a topic that does not divide evenly is forgotten."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Without the remainders."""
        readers = group.subscribers
        lost = {
            TopicPartition(topic, count - 1)
            for topic, count in cluster.counts.items()
            if topic in readers and count % len(readers[topic])
        }
        return {m: tuple(tp for tp in tps if tp not in lost) for m, tps in answer.items()}


@control("omits-idle", breaks="members")
class OmitsIdle(_Wrong):
    """A member that gets nothing has no entry (a client then waits for ever)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Without the empty entries."""
        return {m: tps for m, tps in answer.items() if tps}


@control("counts-from-one", breaks="exists")
class CountsFromOne(_Wrong):
    """Partition numbers of the last topic run from 1 to the count."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Shifted by one."""
        last = max(cluster.counts, default=None)
        return {
            m: tuple(TopicPartition(t, p + 1) if t == last else TopicPartition(t, p) for t, p in tps)
            for m, tps in answer.items()
        }


@control("trusts-claims", breaks="single-owner")
class TrustsClaims(_Wrong):
    """Everybody keeps what they say they own, whoever else says so (KAFKA-7026)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Claims first, the deal for the rest."""
        kept = {
            m.member_id: tuple(tp for tp in m.owned if cluster.has(tp) and tp.topic in m.topics)
            for m in group.members
        }
        taken = {tp for tps in kept.values() for tp in tps}
        return {m: kept[m] + tuple(tp for tp in tps if tp not in taken) for m, tps in answer.items()}


@control("deals-to-all", breaks="subscribed")
class DealsToAll(_Wrong):
    """Partitions are dealt to all members, whatever they subscribed to (kafkajs 1679)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Dealt over the members in order."""
        tps = sorted(tp for own in answer.values() for tp in own)
        ids = sorted(answer)
        return {m: tuple(tps[i :: len(ids)]) for i, m in enumerate(ids)}


@control("restarts-per-topic", breaks="balanced-within-one")
class RestartsPerTopic(_Wrong):
    """The deal starts at the first member again for each topic (sarama PR 1788)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Dealt topic by topic."""
        dealt: dict[str, list[TopicPartition]] = {m: [] for m in answer}
        for topic, readers in sorted(group.subscribers.items()):
            for p in range(cluster.counts.get(topic, 0)):
                dealt[sorted(readers)[p % len(readers)]].append(TopicPartition(topic, p))
        return {m: tuple(tps) for m, tps in dealt.items()}


@control("chokes-on-empty", breaks="total")
class ChokesOnEmpty(_Wrong):
    """A member without a subscription among others makes it fail (KAFKA-16930)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer, unless somebody reads nothing."""
        first = {m.member_id: m.topics[0] for m in group.members} if len(group.members) > 1 else {}
        return {m: tps for m, tps in answer.items() if m in first or len(answer) == 1}


@control("favours-first-listed", breaks="order-independent")
class FavoursFirstListed(_Wrong):
    """Ties go to whoever is listed first (KAFKA-12898)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Shares handed out in listing order."""
        if not group.equal_subscriptions:
            return answer
        shares = sorted(answer.values(), key=len, reverse=True)
        return {m.member_id: share for m, share in zip(group.members, shares)}


@control("remembers", breaks="pure")
class Remembers(_Wrong):
    """Its answer turns with every call on the same object."""

    def __init__(self) -> None:
        self._calls = 0

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Shares turned by the number of calls."""
        self._calls += 1
        if not group.equal_subscriptions:
            return answer
        shares = list(answer.values())
        turn = self._calls % len(shares)
        return dict(zip(answer, shares[turn:] + shares[:turn]))


@control("follows-hashes", breaks="deterministic")
class FollowsHashes(_Wrong):
    """Shares go out in the order of a hash set, another one in each process."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Shares in hash order."""
        if not group.equal_subscriptions:
            return answer
        return dict(zip(sorted(answer, key=hash), sorted(answer.values(), key=len)))


@control("hands-over-at-once", breaks="cooperative", protocol=COOPERATIVE)
class HandsOverAtOnce(_Wrong):
    """An eager plan sent over the cooperative protocol: nothing is withheld (KAFKA-14639)."""

    protocols = (COOPERATIVE,)

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The whole plan."""
        return answer


@control("never-rests", breaks="stable")
class NeverRests(_Wrong):
    """Shares wander on with every generation, so the group never comes to rest."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Shares turned by the generation."""
        if not group.equal_subscriptions:
            return answer
        turn = (max(m.generation for m in group.members) + 1) % len(answer)
        shares = list(answer.values())
        return dict(zip(answer, shares[turn:] + shares[:turn]))


control("rounds-up", breaks="topic-even")(CeilRange)

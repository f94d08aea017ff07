"""Faulty assignors of consumer groups for claims on every assignor: round robin with one fault."""

from __future__ import annotations

import time
from abc import abstractmethod
from functools import partial

from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.assignors.groups.order import members_in_order
from kassay.assignors.registry import COOPERATIVE
from kassay.kinds import controls
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import Assignor, AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS

control = partial(controls.control, kinds=CONSUMER_GROUPS, like="roundrobin")

PartitionsByMember = dict[str, tuple[TopicPartition, ...]]


class Spoilt(AssignorBase):
    """A sound rule, by default round robin, whose answer is then changed."""

    name = "control"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The changed answer."""
        return Assignment(self.spoil(cluster, group, dict(self.sound().assign(cluster, group).items())))

    def sound(self) -> Assignor:
        """The rule whose answer is changed."""
        return RoundRobin()

    @abstractmethod
    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer with the fault in it."""


def in_order(group: Group) -> list[str]:
    """The members' ids in Kafka's order: a member that returns under another id keeps its place."""
    return [member.member_id for member in members_in_order(group.members)]


def turned(group: Group, answer: PartitionsByMember, by: int) -> PartitionsByMember:
    """The answer with each share moved on by a number of members."""
    ids = in_order(group)
    turn = by % len(ids)
    return {member: answer[other] for member, other in zip(ids, ids[turn:] + ids[:turn], strict=True)}


def _ends(group: Group, answer: PartitionsByMember) -> tuple[str, str] | None:
    """The members with most and with fewest partitions, the first of equals; None if all have as many."""
    ids = in_order(group)
    most = max(ids, key=lambda member: len(answer[member]))
    least = min(ids, key=lambda member: len(answer[member]))
    return (most, least) if len(answer[least]) < len(answer[most]) else None


def _shares(group: Group, answer: PartitionsByMember, topic: str) -> dict[str, int]:
    """The number of partitions of the topic that each of its subscribers has."""
    return {
        member: sum(tp.topic == topic for tp in answer[member]) for member in group.subscribers.get(topic, ())
    }


@control("omits-idle", breaks="members", kinds=CLIENT)
class OmitsIdle(Spoilt):
    """A member that gets nothing has no entry (a client then waits for ever)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Without the empty entries."""
        return {m: tps for m, tps in answer.items() if tps}


@control("names-a-stranger", breaks="members")
class NamesAStranger(Spoilt):
    """The answer has an entry for a name that is no member."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """One entry too many."""
        return {**answer, "stranger": ()}


@control("counts-to-the-end", breaks="exists")
class CountsToTheEnd(Spoilt):
    """Partition numbers of the last topic run to the count itself, where that makes loads equal."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """With one partition too many."""
        ends, last = _ends(group, answer), max(cluster.counts, default="")
        if ends is None or last not in group.by_id[ends[1]].topics:
            return answer
        shares = _shares(group, answer, last)
        if shares[ends[1]] > min(shares.values()):
            return answer
        return {**answer, ends[1]: (*answer[ends[1]], TopicPartition(last, cluster.counts[last]))}


@control("trusts-owned", breaks="single-owner", kinds=CLIENT, like="")
class TrustsOwned(Spoilt):
    """Everybody keeps what they say they own, whoever else says so (KAFKA-7026)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Owned partitions stay with their members; round robin for the rest."""
        kept = {
            m.member_id: tuple(tp for tp in m.owned if cluster.has(tp) and tp.topic in m.topics)
            for m in group.members
        }
        taken = {tp for tps in kept.values() for tp in tps}
        return {m: kept[m] + tuple(tp for tp in tps if tp not in taken) for m, tps in answer.items()}


@control("gives-twice", breaks="single-owner")
class GivesOneTwice(Spoilt):
    """Who has least is given a partition of whoever has most as well."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """One partition assigned twice, where that makes loads equal."""
        ends = _ends(group, answer)
        if ends is None or not group.equal_subscriptions:
            return answer
        most, least = ends
        for tp in reversed(answer[most]):
            shares = _shares(group, answer, tp.topic)
            if shares[least] == min(shares.values()):
                return {**answer, least: (*answer[least], tp)}
        return answer


@control("deals-to-all", breaks="subscribed")
class DealsToAll(Spoilt):
    """Assigns partitions to all members, whatever they subscribe to (kafkajs 1679)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Round robin over all members, subscribed or not."""
        tps = sorted(tp for own in answer.values() for tp in own)
        ids = in_order(group)
        return {m: tuple(tps[i :: len(ids)]) for i, m in enumerate(ids)}


@control("loses-last", breaks="complete")
class LosesLast(Spoilt):
    """A partition of whoever has most is forgotten, so that all have as much."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Without one partition."""
        ends = _ends(group, answer)
        for lost in reversed(answer[ends[0]] if ends is not None else ()):
            shares = _shares(group, answer, lost.topic)
            if ends is not None and shares[ends[0]] == max(shares.values()):
                return {**answer, ends[0]: tuple(tp for tp in answer[ends[0]] if tp != lost)}
        return answer


@control("chokes-on-empty", breaks="total")
class ChokesOnEmpty(Spoilt):
    """A member without a subscription among others makes it fail (KAFKA-16930)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer, unless some member subscribes to nothing."""
        first = {m.member_id: m.topics[0] for m in group.members} if len(group.members) > 1 else {}
        return {m: tps for m, tps in answer.items() if m in first or len(answer) == 1}


@control("waits-for-ever", breaks="terminates")
class WaitsForEver(Spoilt):
    """It waits for a partition for everybody where a topic has fewer of them than readers."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer, where every subscriber can have a partition of each topic."""
        while any(len(readers) > cluster.counts.get(t, 1) > 0 for t, readers in group.subscribers.items()):
            time.sleep(1)
        return answer


@control("favours-first-listed", breaks="order-independent")
class FavoursFirstListed(Spoilt):
    """Ties go to whoever is listed first (KAFKA-12898)."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Shares assigned in listing order."""
        if not group.equal_subscriptions:
            return answer
        shares = sorted(answer.values(), key=len, reverse=True)
        return {m.member_id: share for m, share in zip(group.members, shares)}


@control("serves-its-leader", breaks="leader-neutral", kinds=CLIENT, keeps=("stable",))
class ServesItsLeader(Spoilt):
    """The leader takes the largest share for itself, as where it deals to its own members first."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The leader's share swapped with the largest one."""
        ends = _ends(group, answer)
        if ends is None or group.leader is None or not group.equal_subscriptions:
            return answer
        return {**answer, ends[0]: answer[group.leader], group.leader: answer[ends[0]]}


@control("remembers", breaks="pure")
class Remembers(Spoilt):
    """A second call with the same input returns another answer."""

    def __init__(self) -> None:
        self._last: tuple[Cluster, Group] | None = None

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Shares rotated where the last call had the same input."""
        again, self._last = self._last == (cluster, group), (cluster, group)
        return turned(group, answer, 1) if again and group.equal_subscriptions else answer


@control("follows-hashes", breaks="deterministic")
class FollowsHashes(Spoilt):
    """Shares go out in the order of a hash set, another one in each process."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Shares in hash order."""
        if not group.equal_subscriptions:
            return answer
        # An instance id may be the member id of another: a tie must not go by the order of the list.
        hashed = sorted(group.members, key=lambda m: (hash(m.instance_id or m.member_id), m.member_id))
        shares = (answer[member] for member in in_order(group))
        return dict(zip((member.member_id for member in hashed), shares, strict=True))


@control(
    "hands-over-at-once",
    breaks="cooperative",
    kinds=CLIENT,
    protocol=COOPERATIVE,
    like="optimal-cooperative",
)
class HandsOverAtOnce(Spoilt):
    """An eager plan sent over the cooperative protocol: nothing is withheld (KAFKA-14639)."""

    protocols = (COOPERATIVE,)

    def sound(self) -> Assignor:
        """The optimum."""
        # Other controls need no solver, and their processes do not load one.
        from kassay.assignors.groups.client.optimal_sticky import OptimalSticky

        return OptimalSticky()

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The whole plan."""
        return answer


@control("never-rests", breaks="stable")
class NeverRests(Spoilt):
    """Shares wander on with every generation, so the group never comes to rest."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Shares rotated by the generation, where no member is static."""
        if not group.equal_subscriptions or any(m.instance_id for m in group.members):
            return answer
        return turned(group, answer, max(m.generation for m in group.members) + 1)


@control("deals-by-member-id", breaks="static-stable", kinds=CLIENT)
class DealsByMemberId(AssignorBase):
    """Orders static members by their member ids, which change with every start."""

    name = "control"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The assignment of a group without static members."""
        return RoundRobin().assign(
            cluster, Group(tuple(m._replace(instance_id=None) for m in group.members), group.leader)
        )


@control("grows-too-fast", breaks="scales")
class GrowsTooFast(Spoilt):
    """Twice as many partitions take eight times as long."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer, after a delay."""
        time.sleep((sum(cluster.counts.values()) / 1000) ** 3 / 3)
        return answer

"""Negative controls: targets with one fault each, to show that a budget would have caught it.

A pass means little if the same histories pass a broken assignor as well. Each control is a correct
rule with one thing done wrong, of a kind that really happened in clients and tools; `breaks` names
the claim that must catch it. The assignors stand here, the other kinds in `faults`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kassay.assignors.client.ceil_range import CeilRange
from kassay.assignors.client.roundrobin import RoundRobin
from kassay.assignors.registry import COOPERATIVE, EAGER
from kassay.certify.faulty import others
from kassay.certify.targets.local import OwnClass
from kassay.certify.targets.target import Target
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase, RebalanceProtocol
from kassay.model.groups.group import Assignment, Group
from kassay.model.kinds import Kind

Given = dict[str, tuple[TopicPartition, ...]]


class _Wrong(AssignorBase):
    """Round robin, and then something done to the answer."""

    name = "control"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The spoilt answer."""
        return Assignment(self.spoil(cluster, group, dict(RoundRobin().assign(cluster, group).items())))

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """The answer with the fault in it."""
        raise NotImplementedError


class LosesLast(_Wrong):
    """The last partition of a topic that does not divide evenly is forgotten."""

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """Without the remainders."""
        readers = group.subscribers
        lost = {
            TopicPartition(topic, count - 1)
            for topic, count in cluster.counts.items()
            if topic in readers and count % len(readers[topic])
        }
        return {m: tuple(tp for tp in tps if tp not in lost) for m, tps in given.items()}


class OmitsIdle(_Wrong):
    """A member that gets nothing has no entry (a client then waits for ever)."""

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """Without the empty entries."""
        return {m: tps for m, tps in given.items() if tps}


class CountsFromOne(_Wrong):
    """Partition numbers of the last topic run from 1 to the count."""

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """Shifted by one."""
        last = max(cluster.counts, default=None)
        return {
            m: tuple(TopicPartition(t, p + 1) if t == last else TopicPartition(t, p) for t, p in tps)
            for m, tps in given.items()
        }


class TrustsClaims(_Wrong):
    """Everybody keeps what they say they own, whoever else says so (KAFKA-7026)."""

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """Claims first, the deal for the rest."""
        kept = {
            m.member_id: tuple(tp for tp in m.owned if cluster.has(tp) and tp.topic in m.topics)
            for m in group.members
        }
        taken = {tp for tps in kept.values() for tp in tps}
        return {m: kept[m] + tuple(tp for tp in tps if tp not in taken) for m, tps in given.items()}


class DealsToAll(_Wrong):
    """Partitions are dealt to all members, whatever they subscribed to (kafkajs 1679)."""

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """Dealt over the members in order."""
        tps = sorted(tp for own in given.values() for tp in own)
        ids = sorted(given)
        return {m: tuple(tps[i :: len(ids)]) for i, m in enumerate(ids)}


class RestartsPerTopic(_Wrong):
    """The deal starts at the first member again for each topic (sarama PR 1788)."""

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """Dealt topic by topic."""
        dealt: dict[str, list[TopicPartition]] = {m: [] for m in given}
        for topic, readers in sorted(group.subscribers.items()):
            for p in range(cluster.counts.get(topic, 0)):
                dealt[sorted(readers)[p % len(readers)]].append(TopicPartition(topic, p))
        return {m: tuple(tps) for m, tps in dealt.items()}


class ChokesOnEmpty(_Wrong):
    """A member without a subscription among others makes it fail (KAFKA-16930)."""

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """The answer, unless somebody reads nothing."""
        first = {m.member_id: m.topics[0] for m in group.members} if len(group.members) > 1 else {}
        return {m: tps for m, tps in given.items() if m in first or len(given) == 1}


class FavoursFirstListed(_Wrong):
    """Ties go to whoever is listed first (KAFKA-12898)."""

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """Shares handed out in listing order."""
        if not group.equal_subscriptions:
            return given
        shares = sorted(given.values(), key=len, reverse=True)
        return {m.member_id: share for m, share in zip(group.members, shares)}


class Remembers(_Wrong):
    """Its answer turns with every call on the same object."""

    def __init__(self) -> None:
        self._calls = 0

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """Shares turned by the number of calls."""
        self._calls += 1
        if not group.equal_subscriptions:
            return given
        shares = list(given.values())
        turn = self._calls % len(shares)
        return dict(zip(given, shares[turn:] + shares[:turn]))


class FollowsHashes(_Wrong):
    """Shares go out in the order of a hash set, another one in each process."""

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """Shares in hash order."""
        if not group.equal_subscriptions:
            return given
        return dict(zip(sorted(given, key=hash), sorted(given.values(), key=len)))


class HandsOverAtOnce(_Wrong):
    """An eager plan sent over the cooperative protocol: nothing is withheld (KAFKA-14639)."""

    protocols = (COOPERATIVE,)

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """The whole plan."""
        return given


class NeverRests(_Wrong):
    """Shares wander on with every generation, so the group never comes to rest."""

    def spoil(self, cluster: Cluster, group: Group, given: Given) -> Given:
        """Shares turned by the generation."""
        if not group.equal_subscriptions:
            return given
        turn = (max(m.generation for m in group.members) + 1) % len(given)
        shares = list(given.values())
        return dict(zip(given, shares[turn:] + shares[:turn]))


@dataclass(frozen=True)
class Control:
    """A faulty rule, the claim that it breaks, and how it speaks."""

    name: str
    factory: type
    breaks: str
    protocol: RebalanceProtocol = EAGER
    kind: Kind = Kind.CLIENT

    def target(self) -> Target:
        """The control as a target, to open it in another process."""
        spec = f"control:{self.name}"
        return Target(spec, self.name, self.kind, OwnClass(self.factory), self.protocol)

    def new(self, config: Mapping[str, str]) -> Any:
        """A new object; an assignor is configured, a partitioner will be by whoever sends."""
        made = self.factory()
        if isinstance(made, AssignorBase):
            made.configure(config)
        return made


CONTROLS: Final[tuple[Control, ...]] = (
    Control("loses-last", LosesLast, "complete"),
    Control("omits-idle", OmitsIdle, "members"),
    Control("counts-from-one", CountsFromOne, "exists"),
    Control("trusts-claims", TrustsClaims, "single-owner"),
    Control("deals-to-all", DealsToAll, "subscribed"),
    Control("restarts-per-topic", RestartsPerTopic, "balanced-within-one"),
    Control("chokes-on-empty", ChokesOnEmpty, "total"),
    Control("favours-first-listed", FavoursFirstListed, "order-independent"),
    Control("remembers", Remembers, "pure"),
    Control("follows-hashes", FollowsHashes, "deterministic"),
    Control("hands-over-at-once", HandsOverAtOnce, "cooperative", COOPERATIVE),
    Control("never-rests", NeverRests, "stable"),
    Control("rounds-up", CeilRange, "topic-even"),
    Control("repeats-broker", others.RepeatsBroker, "replicas-distinct", kind=Kind.PLACER),
    Control("settles-for-less", others.SettlesForLess, "too-few-brokers", kind=Kind.PLACER),
    Control("numbers-brokers", others.NumbersBrokers, "rack-spread", kind=Kind.PLACER),
    Control("never-shifts", others.NumbersBrokers, "follower-spread", kind=Kind.PLACER),
    Control("lets-fenced-lead", others.LetsFencedLead, "no-fenced-leader", kind=Kind.PLACER),
    Control("starts-at-the-first", others.StartsAtTheFirst, "leaders-even", kind=Kind.PLACER),
    Control("takes-partial-racks", others.TakesPartialRacks, "partial-racks-refused", kind=Kind.PLACER),
    Control("counts-calls", others.CountsCalls, "pure", kind=Kind.PLACER),
    Control("takes-from-anybody", others.TakesFromAnybody, "plan-valid", kind=Kind.PLANNER),
    Control("goes-round-about", others.GoesRoundAbout, "plan-minimal", kind=Kind.PLANNER),
    Control("doubles-up", others.DoublesUp, "replicas-distinct", kind=Kind.PLANNER),
    Control("keeps-the-sign", others.KeepsTheSign, "in-range", kind=Kind.PARTITIONER),
    Control("adds-bytes", others.AddsBytes, "hash-compatible", kind=Kind.PARTITIONER),
    Control("remembers-keys", others.RemembersKeys, "same-key-same-partition", kind=Kind.PARTITIONER),
    Control("salts-hashes", others.SaltsHashes, "deterministic", kind=Kind.PARTITIONER),
    Control("drops-empty-keys", others.DropsEmptyKeys, "total", kind=Kind.PARTITIONER),
    Control("ignores-leaders", others.IgnoresLeaders, "available-only", kind=Kind.PARTITIONER),
    Control("wraps-explicit", others.WrapsExplicit, "refuses-out-of-range", kind=Kind.PARTITIONER),
    Control("runs-twice", others.TaskRunsTwice, "single-owner", kind=Kind.STREAMS),
    Control("forgets-task", others.ForgetsTask, "complete", kind=Kind.STREAMS),
    Control("stands-by-itself", others.StandsByItself, "standby-disjoint", kind=Kind.STREAMS),
    Control("leaves-all-to-one", others.LeavesAllToOne, "balanced-within-one", kind=Kind.STREAMS),
    Control("ignores-threads", others.IgnoresThreads, "balanced-optimal", kind=Kind.STREAMS),
    Control("deals-afresh", others.TasksDealtAfresh, "sticky-minimal", kind=Kind.STREAMS),
    Control("goes-by-listing", others.GoesByListing, "order-independent", kind=Kind.STREAMS),
    Control("hashes-processes", others.TasksFollowHashes, "deterministic", kind=Kind.STREAMS),
    Control("hands-round", others.HandsRound, "converges", kind=Kind.STREAMS),
)


def controls_of(kind: Kind) -> tuple[Control, ...]:
    """The controls that show whether cases of this kind would have caught a fault."""
    return tuple(control for control in CONTROLS if control.kind == kind)

"""One rebalance round: the input, the answer, and the answers of repeat calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from kassay.model.calls import Failure, Probe
from kassay.model.cluster import Cluster, TopicPartition, numbers_by_topic
from kassay.model.groups.group import Assignment, Group, Member, previous_owners
from kassay.model.groups.history import Change, NewLeader
from kassay.model.groups.metrics import AssignmentFacts
from kassay.model.kinds import RebalanceProtocol
from kassay.model.lazy import lazy


@dataclass(frozen=True)
class Step:
    """One round: the leader's input, its answer, and the repeat calls.

    `generation` is the round's. `turn` counts the rounds of one rebalance from 0. `configs` holds the
    configurations of members that have one. `mutated` lists what the target changed in its input. `held` is
    the previous assignment, if the player knows it; its facts are reused. `agreed` is a second answer that
    the player found to give every member the same partitions. `keeps_dropped`: what a member owns may be of a
    topic that it has dropped, which is no contradiction.
    """

    keeps_dropped: ClassVar[bool] = False

    cluster: Cluster
    group: Group
    answer: Assignment | Failure
    generation: int
    turn: int = 0
    protocol: RebalanceProtocol = RebalanceProtocol.EAGER
    probes: tuple[Probe[Assignment], ...] = ()
    mutated: str | None = None
    failed_sync: frozenset[str] = frozenset()
    configs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    held: AssignmentFacts | None = field(default=None, compare=False, repr=False)
    agreed: Assignment | None = field(default=None, compare=False, repr=False)

    @lazy
    def given(self) -> Assignment:
        """The answer; raises `LookupError` if there is none."""
        if isinstance(self.answer, Failure):
            raise LookupError(self.answer.message)
        return self.answer

    @lazy
    def departing(self) -> tuple[Probe[Assignment], ...]:
        """The repeat calls that failed or gave some member other partitions than the first answer."""
        departing = []
        agreeing = self.agreed
        for probe in self.probes:
            then = probe.answer
            # One answer may serve several repeat calls; compare it once.
            if isinstance(then, Failure):
                departing.append(probe)
            elif then is not agreeing and then is not self.answer:
                if self._gives_the_same(then):
                    agreeing = then
                else:
                    departing.append(probe)
        return tuple(departing)

    def _gives_the_same(self, then: Assignment) -> bool:
        """Whether the second answer gives every member the same partitions, in any order."""
        return isinstance(self.answer, Assignment) and self.answer.same_sets(then)

    @lazy
    def given_out(self) -> frozenset[TopicPartition]:
        """All assigned partitions."""
        return frozenset(self.facts.owners)

    @lazy
    def facts(self) -> AssignmentFacts:
        """The derived facts of the answer."""
        inputs = self.cluster, self.group, self.given
        return AssignmentFacts(*inputs) if self.held is None else self.held.then(*inputs)

    @lazy
    def previous(self) -> dict[TopicPartition, str]:
        """The previous owner of each partition that has one; treat as read-only."""
        return previous_owners(self.cluster, self.group)

    @lazy
    def loads(self) -> dict[str, int]:
        """The number of partitions of each member of the group; treat as read-only."""
        return self.facts.loads

    @lazy
    def read(self) -> dict[str, frozenset[str]]:
        """The subscribed topics of each member as a set; treat as read-only."""
        listed = self.group.listed
        sets = {topics: frozenset(topics) for topics in set(listed)}
        return dict(zip(self.group.ids, map(sets.__getitem__, listed)))

    @lazy
    def known(self) -> tuple[frozenset[str], ...]:
        """The existing subscribed topics of each member, in member order."""
        listed = self.group.listed
        known = {topics: frozenset(self.cluster.counts.keys() & topics) for topics in set(listed)}
        return tuple(map(known.__getitem__, listed))

    @lazy
    def unknown(self) -> frozenset[str]:
        """The subscribed topics that do not exist."""
        return frozenset(self.group.subscribers.keys() - self.cluster.counts.keys())

    @lazy
    def is_read(self) -> bool:
        """Whether any partition has a subscriber."""
        return not self.group.subscribers.keys().isdisjoint(self.cluster.counts)

    def assignable_of(self, topic: str) -> list[TopicPartition]:
        """The assignable partitions of a topic; none if it does not exist."""
        tps, assignable = self.cluster.partitions.get(topic, ()), self.group.assignable
        return [tp for tp in tps if assignable is None or tp in assignable]

    @lazy
    def is_contested(self) -> bool:
        """Whether some partition has two subscribers, so that either may get it."""
        subscribers = self.group.subscribers
        return any(len(subscribers.get(topic, ())) > 1 for topic in self.cluster.counts)

    @lazy
    def is_divisible(self) -> bool:
        """Whether two members subscribe to a topic with two or more partitions."""
        counts = self.cluster.counts
        return any(len(ids) > 1 and counts.get(topic, 0) > 1 for topic, ids in self.group.subscribers.items())

    @lazy
    def is_open(self) -> bool:
        """Whether two valid answers exist that differ as sets.

        A partition may go to another subscriber, or a cooperative round may withhold a partition that a
        member owns.
        """
        if self.is_contested:
            return True
        if self.protocol is RebalanceProtocol.EAGER:
            return False
        subscribers, has = self.group.subscribers, self.cluster.has
        return any(tp[0] in subscribers and has(tp) for member in self.group.members for tp in member.owned)

    @lazy
    def shares(self) -> dict[str, dict[str, list[int]]]:
        """For each existing topic, the partition numbers of each of its subscribers, ascending; read-only."""
        subscribers, nothing = self.group.subscribers, list[int]()
        shares = {
            topic: dict.fromkeys(subscribers[topic], nothing)
            for topic in self.cluster.counts
            if topic in subscribers
        }
        nobodys: dict[str, list[int]] = {}
        for member_id, tps in self.given.items():
            for topic, numbers in numbers_by_topic(tps).items():
                by_member = shares.get(topic, nobodys)
                if member_id in by_member:
                    numbers.sort()
                    by_member[member_id] = numbers
        return shares

    @lazy
    def contradictory(self) -> bool:
        """Whether the reports of owned partitions contradict each other or the cluster.

        Two members report one partition, or a report is stale, out of range, or names a topic to which its
        member no longer subscribes.
        """
        members = self.group.members
        owning = [member for member in members if member[2]]
        if not owning:
            return False
        latest = max([member[3] for member in members])
        if min([member[3] for member in owning]) < latest:
            return True
        held, counts = self.held, self.cluster.counts
        changed = owning if held is None else held.with_other_ownership(self.cluster, owning)
        if any(_may_not_have(member, counts, self.keeps_dropped) for member in changed):
            return True
        if held is None or len(changed) == len(owning):
            return self.is_owned_twice
        return bool(changed) and held.is_owned_by_two(owning, changed)

    @lazy
    def is_owned_twice(self) -> bool:
        """Whether two members report one partition, at any generation."""
        owned = [member.owned for member in self.group.members if member.owned]
        return len(frozenset().union(*owned)) < sum(map(len, owned))


def _may_not_have(member: Member, counts: Mapping[str, int], keeps_dropped: bool) -> bool:
    """Whether the member reports a missing partition, or one of a topic to which it does not subscribe.

    `keeps_dropped`: a topic to which it no longer subscribes is none of these.
    """
    topics, last, count = member.topics, None, 0
    for topic, partition in member.owned:
        if topic != last:
            # Reports are grouped by topic: look each topic up once.
            if topic not in topics:
                if keeps_dropped:
                    continue
                return True
            last, count = topic, counts.get(topic, 0)
        if not 0 <= partition < count:
            return True
    return False


@dataclass(frozen=True)
class ServerStep(Step):
    """A round of a group whose target the coordinator computes.

    What a member owns is the coordinator's last target, which names topics that the member has dropped since:
    `TargetAssignmentBuilder.build` passes it on as it is.
    """

    keeps_dropped: ClassVar[bool] = True


@dataclass(frozen=True)
class ShareStep(Step):
    """A round of a share group, in which members own what the coordinator's last target gave them."""

    @lazy
    def contradictory(self) -> bool:
        """Whether a member owns a partition that does not exist or is not assignable.

        It is no contradiction if several members own one partition, or if a member no longer subscribes to a
        topic.
        """
        counts, assignable = self.cluster.counts, self.group.assignable
        return any(
            tp[0] in counts
            and (not 0 <= tp[1] < counts[tp[0]] or (assignable is not None and tp not in assignable))
            for member in self.group.members
            for tp in member.owned
        )

    @lazy
    def is_open(self) -> bool:
        """Whether two valid answers exist that differ as sets.

        A partition may go to one subscriber or to several; a partition that is not assignable may stay with a
        member or not.
        """
        counts = self.cluster.counts
        return self.is_contested or any(
            len(self.assignable_of(topic)) < counts.get(topic, 0) for topic in self.group.subscribers
        )


@dataclass(frozen=True)
class Rebalanced:
    """One change and the rounds that followed it.

    `settled`: the group became stable within the allowed rounds. `revocations`: the number of rounds in which
    a member had to revoke something (eager: after the first). `quiet`: nothing had changed since the group
    was last stable.
    """

    index: int
    change: Change
    steps: tuple[Step, ...]
    settled: bool
    revocations: int
    quiet: bool = False
    before: Assignment | None = None
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def leader_changed(self) -> bool:
        """Whether a stable group changed its leader and nothing else happened."""
        at_rest = self.before is not None and not self.quiet
        return at_rest and all(isinstance(event, NewLeader) for event in self.change)

    @lazy
    def contradictory(self) -> bool:
        """Whether the input of any round was contradictory."""
        return any(step.contradictory for step in self.steps)

    @lazy
    def outcomes(self) -> tuple[Step, ...]:
        """The steps on which balance, movement and rack claims are checked.

        Eager: every answered round. Cooperative: one step, from the input of the first round (after a failed
        sync, of the round that follows it) to the assignment at the fixpoint; none if there is no fixpoint.
        """
        answered = tuple(step for step in self.steps if not isinstance(step.answer, Failure))
        if not answered or answered[0].protocol is RebalanceProtocol.EAGER:
            return answered
        if not self.settled or len(answered) < len(self.steps):
            return ()
        # A member that missed its sync keeps its old list, so the round after that counts.
        missed = [i for i, step in enumerate(answered) if step.failed_sync]
        base = answered[missed[-1] + 1 :] if missed else answered
        if not base:
            return ()
        first, last = base[0], base[-1]
        if first is last:
            return (first,)
        return (
            Step(
                cluster=first.cluster,
                group=first.group,
                answer=last.answer,
                generation=last.generation,
                turn=last.turn,
                protocol=first.protocol,
                configs=first.configs,
                held=last.facts,
            ),
        )

"""A state machine that drives any assignor of a consumer group, with its claims as invariants.

Hypothesis chooses the events; the machine plays them through the one player and judges every claim after
every rule. A naive oracle keeps its own books in addition: the members, the existing partitions, and the
owners according to the answers so far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kassay.model.calls import Failure, Look
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.assignor import Assignor
from kassay.model.groups.group import Member
from kassay.model.groups.history import (
    AddPartitions,
    Change,
    Crash,
    DeleteTopic,
    Event,
    FailedSync,
    History,
    Join,
    Leave,
    NewLeader,
    Rebalance,
    Resubscribe,
    Return,
)
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.player import Player
from kassay.model.groups.step import Rebalanced
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Claim, Evidence, Scope, Violation, applies, validity_claims

TOPICS = ("t0", "t1", "t2")


class NaiveOracle:
    """The books: members, topics, and owners according to the last answer."""

    def __init__(self) -> None:
        self.members: dict[str, frozenset[str]] = {}
        self.topics: dict[str, int] = {}

    def expected(self) -> frozenset[TopicPartition]:
        """The partitions that must have an owner: those of topics with readers."""
        read = frozenset().union(*self.members.values()) if self.members else frozenset()
        return frozenset(
            TopicPartition(topic, p)
            for topic, count in self.topics.items()
            if topic in read
            for p in range(count)
        )


class GroupMachine(RuleBasedStateMachine):
    """Subclass it with `new`, `protocol` and `claims` (`docs/state-machines.md`), or use `machine_for`.

    `new` receives the configuration of a member and returns a new object. `claims` are checked in addition to
    those that every assignor must keep.
    """

    new: Callable[[Mapping[str, str]], Assignor]
    protocol = RebalanceProtocol.EAGER
    claims: tuple[str, ...] = ()
    kind = CLIENT

    def __init__(self) -> None:
        super().__init__()
        self.oracle = NaiveOracle()
        self.away: dict[str, frozenset[str]] = {}
        self.cluster = Cluster()
        self.changes: tuple[Change, ...] = ()
        self.last: Rebalanced | None = None
        self.joined = 0
        own = tuple(parse_claim(name, self.kind) for name in self.claims)
        self.checked = (*validity_claims(self.kind, self.protocol), *own)
        self.player = Player(
            type(self).new,
            self.protocol,
            frozenset({Look.AGAIN, Look.OTHER, Look.PERMUTED}),
            any(claim.kind.confirm for claim in self.checked),
        )

    @initialize(counts=st.lists(st.integers(1, 6), min_size=1, max_size=len(TOPICS)))
    def start(self, counts: list[int]) -> None:
        """The topics."""
        self.oracle.topics = dict(zip(TOPICS, counts))
        self.cluster = Cluster(tuple(Topic(name, n) for name, n in self.oracle.topics.items()))

    def happens(self, *events: Event) -> None:
        """Apply the events, rebalance, and judge."""
        self.changes = (*self.changes, events)
        # The whole history is played again: a target's objects keep state, and a history must replay.
        rebalances = list(self.player.play(History(self.cluster, self.changes)))
        self.last = rebalances[-1] if rebalances and self.oracle.members else None

    @rule(topics=st.sets(st.sampled_from(TOPICS), min_size=1), static=st.booleans())
    def join(self, topics: set[str], static: bool) -> None:
        """A member joins."""
        self.joined += 1
        member_id = f"m{self.joined}"
        self.oracle.members[member_id] = frozenset(topics)
        instance_id = f"i{9 - self.joined % 10}-{self.joined}" if static else None
        self.happens(Join(Member(member_id, tuple(sorted(topics)), instance_id=instance_id)))

    @precondition(lambda self: self.oracle.members)
    @rule(data=st.data())
    def leave(self, data: Any) -> None:
        """A member leaves for good."""
        member_id = data.draw(st.sampled_from(sorted(self.oracle.members)))
        del self.oracle.members[member_id]
        self.happens(Leave(member_id))

    @precondition(lambda self: self.oracle.members)
    @rule(data=st.data())
    def crash(self, data: Any) -> None:
        """A member crashes and may return."""
        member_id = data.draw(st.sampled_from(sorted(self.oracle.members)))
        self.away[member_id] = self.oracle.members.pop(member_id)
        self.happens(Crash(member_id))

    @precondition(lambda self: self.away)
    @rule(data=st.data())
    def come_back(self, data: Any) -> None:
        """A crashed member returns with its previous owned partitions."""
        member_id = data.draw(st.sampled_from(sorted(self.away)))
        self.oracle.members[member_id] = self.away.pop(member_id)
        self.happens(Return(member_id))

    @precondition(lambda self: self.oracle.members)
    @rule(data=st.data(), topics=st.sets(st.sampled_from(TOPICS), min_size=1))
    def resubscribe(self, data: Any, topics: set[str]) -> None:
        """A member reads other topics."""
        member_id = data.draw(st.sampled_from(sorted(self.oracle.members)))
        self.oracle.members[member_id] = frozenset(topics)
        self.happens(Resubscribe(member_id, tuple(sorted(topics))))

    @precondition(lambda self: self.oracle.topics)
    @rule(data=st.data(), more=st.integers(1, 3))
    def add_partitions(self, data: Any, more: int) -> None:
        """A topic grows."""
        topic = data.draw(st.sampled_from(sorted(self.oracle.topics)))
        self.oracle.topics[topic] += more
        self.happens(AddPartitions(topic, self.oracle.topics[topic]))

    @precondition(lambda self: len(self.oracle.topics) > 1)
    @rule(data=st.data())
    def delete_topic(self, data: Any) -> None:
        """A topic is deleted."""
        topic = data.draw(st.sampled_from(sorted(self.oracle.topics)))
        del self.oracle.topics[topic]
        self.happens(DeleteTopic(topic))

    @precondition(lambda self: self.oracle.members)
    @rule(data=st.data())
    def fail_a_sync(self, data: Any) -> None:
        """A member never learns the next answer."""
        self.happens(FailedSync(data.draw(st.sampled_from(sorted(self.oracle.members)))))

    @precondition(lambda self: self.oracle.members and "leader-neutral" in self.claims)
    @rule(data=st.data())
    def change_leader(self, data: Any) -> None:
        """Another member leads."""
        self.happens(NewLeader(data.draw(st.sampled_from(sorted(self.oracle.members)))))

    @precondition(lambda self: self.oracle.members)
    @rule()
    def rebalance(self) -> None:
        """Nothing changed."""
        self.happens(Rebalance())

    @invariant()
    def claims_hold(self) -> None:
        """No claim is broken in the last rebalance."""
        if self.last is not None:
            broken = "; ".join(
                str(Violation(own.id, evidence))
                for own in self.checked
                for evidence in evidence_against(own, self.last)
            )
            if broken:
                raise AssertionError(broken)

    @invariant()
    def oracle_agrees(self) -> None:
        """The group of the books is the group of the call, and what must be owned is owned once."""
        if self.last is None or isinstance(self.last.steps[-1].answer, Failure):
            return
        step = self.last.steps[-1]
        assert {m.member_id: frozenset(m.topics) for m in step.group.members} == self.oracle.members
        if self.protocol is RebalanceProtocol.EAGER or self.last.settled:
            given = sorted(tp for tps in step.given.values() for tp in tps)
            assert given == sorted(self.oracle.expected()), "the books expect other partitions to be owned"


def evidence_against(claim: Claim, rebalanced: Rebalanced) -> list[Evidence]:
    """The evidence against the claim in this rebalance; claims that need an optimum are not judged."""
    kind = claim.kind
    things: tuple[Any, ...] = ()
    if kind.scope is Scope.STEP:
        things = tuple(s for s in rebalanced.steps if not isinstance(s.answer, Failure) or kind.id == "total")
    elif kind.scope is Scope.OUTCOME:
        things = rebalanced.outcomes
    elif kind.scope is Scope.REBALANCE and not isinstance(rebalanced.steps[-1].answer, Failure):
        things = (rebalanced,)
    more = () if claim.value is None else (claim.value,)
    return [e for thing in things if applies(kind, thing, *more) for e in kind.predicate(thing, *more)]


def machine_for(
    make: Callable[[Mapping[str, str]], Assignor],
    claims: tuple[str, ...] = (),
    protocol: RebalanceProtocol = RebalanceProtocol.EAGER,
) -> type[GroupMachine]:
    """A machine for this assignor; its `TestCase` runs under pytest and unittest.

    >>> from kassay.properties.machines.groups import machine_for
    >>> TestMine = machine_for(lambda config: MyAssignor(), ("balanced-kip54",)).TestCase  # doctest: +SKIP
    """
    attributes = {"new": staticmethod(make), "claims": claims, "protocol": protocol}
    return type("GroupMachineOfTarget", (GroupMachine,), attributes)

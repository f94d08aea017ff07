"""A machine for placers, and an oracle that tries all sets of brokers.

The placement claims that an answer breaks, found the slow way: by trying all sets of brokers.

It shares only the values with the claims, so that each can check the other.

A machine for placers: topics are created and grow while brokers are added, removed and fenced.

After each call the claims check the answer, and a naive oracle checks the claims: both must agree on every
answer, right or wrong. Placed partitions stay, so that later calls see them as existing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kassay.model.calls import Look
from kassay.model.cluster import Broker
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import Placement, PlacementRequest, PlacementStep, Placer, Replicas, place
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Claim, Scope, applies, validity_claims

JUDGED = frozenset(
    {
        "replicas-distinct",
        "too-few-brokers",
        "rack-spread",
        "partial-racks-refused",
        "follower-spread",
        "no-fenced-leader",
    }
)
"""The claims that the oracle judges."""


def broken(step: PlacementStep) -> frozenset[str]:
    """The claims among `JUDGED` that the step breaks, whether declared or not."""
    return frozenset() if step.placed is None else frozenset(_broken(step.request, step.placed))


def _broken(request: PlacementRequest, rows: Placement) -> Iterator[str]:
    ids = [broker.broker_id for broker in request.brokers]
    if len(ids) < request.replication_factor:
        yield "too-few-brokers"
    bare = [broker for broker in request.brokers if broker.rack is None]
    if 0 < len(bare) < len(ids):
        yield "partial-racks-refused"
    distinct = all(
        sorted(row) in [sorted(some) for some in combinations(ids, request.replication_factor)]
        for row in rows
    )
    if not distinct or len(rows) != request.partitions:
        yield "replicas-distinct"
    fenced = [broker.broker_id for broker in request.brokers if broker.fenced]
    if any(row and row[0] in fenced and set(row) & (set(ids) - set(fenced)) for row in rows):
        yield "no-fenced-leader"
    if not bare and not all(_is_spread(request, row) for row in rows):
        yield "rack-spread"
    if any(_is_stuck(request, rows, leader) for leader in ids):
        yield "follower-spread"


def _is_spread(request: PlacementRequest, row: Replicas) -> bool:
    """Whether no other set of as many brokers (unfenced, if the row is) is in more racks or less crowded."""
    racks = {broker.broker_id: broker.rack for broker in request.brokers}
    own = _shape([racks[broker] for broker in row if broker in racks])
    unfenced = [broker for broker in request.brokers if not broker.fenced]
    pools = [list(request.brokers)]
    if set(row) <= {broker.broker_id for broker in unfenced}:
        pools.append(unfenced)
    return any(
        all(own <= _shape([broker.rack for broker in some]) for some in _sets(pool, request))
        for pool in pools
    )


def _shape(racks: list[str | None]) -> tuple[int, int]:
    """Less is better: minus the number of racks, then the most replicas in one rack."""
    return -len(set(racks)), max((racks.count(rack) for rack in racks), default=0)


def _sets(pool: list[Broker], request: PlacementRequest) -> list[tuple[Broker, ...]]:
    """Every set of brokers that a partition could be on."""
    return list(combinations(pool, request.replication_factor))


def _is_stuck(request: PlacementRequest, rows: Placement, leader: int) -> bool:
    """Whether the broker leads many partitions with the same followers although it has a choice."""
    followers = [sorted(set(row[1:])) for row in rows if row and row[0] == leader]
    if len(followers) < len(request.brokers) or any(some != followers[0] for some in followers):
        return False
    unfenced = [broker for broker in request.brokers if not broker.fenced]
    if not 1 < request.replication_factor < len(unfenced):
        return False
    lead = next(broker for broker in request.brokers if broker.broker_id == leader)
    others = [broker for broker in unfenced if broker is not lead]
    could = [(lead, *some) for some in combinations(others, request.replication_factor - 1)]
    if all(broker.rack is not None for broker in request.brokers):
        best = min(_shape([broker.rack for broker in some]) for some in _sets(unfenced, request))
        could = [some for some in could if _shape([broker.rack for broker in some]) <= best]
    return len(could) > 1


RACKS: Final = ("rack0", "rack1", "rack2")
BROKERS_MAX: Final = 7
FACTOR_MAX: Final = 4

_racks = st.sampled_from((None, *RACKS))
_factors = st.integers(1, FACTOR_MAX)
_partitions = st.integers(1, 12)
_seeds = st.integers(0, 2**16)


@dataclass
class _Topic:
    factor: int
    rows: list[Replicas] = field(default_factory=list)


class PlacementMachine(RuleBasedStateMachine):
    """The rules; `placement_machine` builds a machine for one placer from it."""

    new: ClassVar[Callable[[], Placer]]
    claims: ClassVar[tuple[Claim, ...]] = ()

    def __init__(self) -> None:
        super().__init__()
        self.brokers: dict[int, Broker] = {}
        self.topics: list[_Topic] = []
        self.step: PlacementStep | None = None

    @initialize(racks=st.lists(_racks, min_size=1, max_size=5))
    def start(self, racks: list[str | None]) -> None:
        """A cluster to start with."""
        self.brokers = {number: Broker(number, rack) for number, rack in enumerate(racks)}

    @rule(partitions=_partitions, factor=_factors, seed=_seeds)
    def create_topic(self, partitions: int, factor: int, seed: int) -> None:
        """Place a new topic."""
        self._ask(_Topic(factor), partitions, seed, is_new=True)

    @rule(factor=st.integers(2, 3), seed=_seeds)
    def create_topic_of_many_laps(self, factor: int, seed: int) -> None:
        """Place a new topic in which each broker could lead as many partitions as there are brokers."""
        self._ask(_Topic(factor), (len(self.brokers) + 1) ** 2, seed, is_new=True)

    @precondition(lambda self: self.topics)
    @rule(data=st.data(), partitions=_partitions, seed=_seeds)
    def add_partitions(self, data: st.DataObject, partitions: int, seed: int) -> None:
        """Place further partitions of a topic."""
        self._ask(data.draw(st.sampled_from(self.topics)), partitions, seed)

    @precondition(lambda self: len(self.brokers) < BROKERS_MAX)
    @rule(rack=_racks)
    def add_broker(self, rack: str | None) -> None:
        """A broker joins the cluster, with the next free id."""
        number = max(self.brokers) + 1
        self.brokers[number] = Broker(number, rack)
        self.step = None

    @precondition(lambda self: len(self.brokers) > 1)
    @rule(data=st.data())
    def remove_broker(self, data: st.DataObject) -> None:
        """A broker is removed; existing partitions may still name it."""
        del self.brokers[data.draw(st.sampled_from(sorted(self.brokers)))]
        self.step = None

    @rule(data=st.data())
    def fence_or_unfence(self, data: st.DataObject) -> None:
        """A broker is fenced or unfenced."""
        number = data.draw(st.sampled_from(sorted(self.brokers)))
        self.brokers[number] = self.brokers[number]._replace(fenced=not self.brokers[number].fenced)
        self.step = None

    @rule(is_racked=st.booleans())
    def rack_all(self, is_racked: bool) -> None:
        """Every broker gets a rack, round robin, or none has one."""
        for place_, number in enumerate(sorted(self.brokers)):
            rack = RACKS[place_ % len(RACKS)] if is_racked else None
            self.brokers[number] = self.brokers[number]._replace(rack=rack)
        self.step = None

    def _ask(self, topic: _Topic, partitions: int, seed: int, *, is_new: bool = False) -> None:
        """Call the placer, and keep a valid placement."""
        request = PlacementRequest(
            partitions, topic.factor, tuple(self.brokers.values()), existing=tuple(topic.rows)
        )
        self.step = place(type(self).new, request, seed, (Look.AGAIN, Look.OTHER))
        if self.step.placed is not None and "replicas-distinct" not in broken(self.step):
            topic.rows += self.step.placed
            if is_new:
                self.topics.append(topic)

    @invariant()
    def claims_agree_with_the_oracle(self) -> None:
        """Each claim agrees on the last answer with a search over all sets of brokers."""
        if self.step is None:
            return
        said = {
            claim.kind.id
            for claim_id in sorted(JUDGED)
            if applies((claim := parse_claim(claim_id, PLACER)).kind, self.step)
            and next(claim.kind.predicate(self.step), None) is not None
        }
        slow = broken(self.step)
        assert said == slow, f"claims say {sorted(said)}, the oracle {sorted(slow)}: {self.step}"

    @invariant()
    def claims_hold(self) -> None:
        """The last answer breaks none of the claims."""
        if self.step is None:
            return
        evidence_against = [
            f"{claim.id}: {evidence.subject} {dict(evidence.facts)}"
            for claim in self.claims
            if applies(claim.kind, self.step)
            for evidence in claim.kind.predicate(self.step)
        ]
        assert not evidence_against, "\n".join(evidence_against)


def placement_machine(new: Callable[[], Placer], claims: Collection[str] = ()) -> type[PlacementMachine]:
    """A machine that checks validity and these claims on new placers.

    Raises `InputError` for a claim that placers do not make. Claims that need a solver's optimum are
    left out.
    """
    declared = (parse_claim(spelled, PLACER) for spelled in claims)
    each_once = dict.fromkeys((*validity_claims(PLACER), *declared))
    statements = tuple(claim for claim in each_once if claim.kind.scope is Scope.STEP)
    attributes: dict[str, Any] = {"new": staticmethod(new), "claims": statements}
    return type("PlacementMachineOfTarget", (PlacementMachine,), attributes)

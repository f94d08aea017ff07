"""A machine for placers: topics are created and grow while brokers are added, removed and fenced.

After each call the claims check the answer, and a naive oracle checks the claims: both must agree on every
answer, right or wrong. Placed partitions stay, so that later calls see them as existing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kassay.model.calls import Look
from kassay.model.cluster import Broker
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRequest, PlacementStep, Placer, Replicas, place
from kassay.properties.machines.placement_oracle import JUDGED, broken
from kassay.properties.promises import promise
from kassay.properties.registry import Promise, Scope, applies, validity_claims

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
    promises: ClassVar[tuple[Promise, ...]] = ()

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
            promised.claim.id
            for claim_id in sorted(JUDGED)
            if applies((promised := promise(claim_id, PLACER)).claim, self.step)
            and next(promised.claim.predicate(self.step), None) is not None
        }
        slow = broken(self.step)
        assert said == slow, f"claims say {sorted(said)}, the oracle {sorted(slow)}: {self.step}"

    @invariant()
    def claims_hold(self) -> None:
        """The last answer breaks none of the claims."""
        if self.step is None:
            return
        evidence_against = [
            f"{promised.id}: {evidence.subject} {dict(evidence.facts)}"
            for promised in self.promises
            if applies(promised.claim, self.step)
            for evidence in promised.claim.predicate(self.step)
        ]
        assert not evidence_against, "\n".join(evidence_against)


def placement_machine(new: Callable[[], Placer], claims: Collection[str] = ()) -> type[PlacementMachine]:
    """A machine that checks validity and these claims on new placers.

    Raises `InputError` for a claim that placers do not make. Claims that need a solver's optimum are
    left out.
    """
    declared = (promise(spelled, PLACER) for spelled in claims)
    each_once = dict.fromkeys((*validity_claims(PLACER), *declared))
    promises = tuple(promised for promised in each_once if promised.claim.scope is Scope.STEP)
    attributes: dict[str, Any] = {"new": staticmethod(new), "promises": promises}
    return type("PlacementMachineOfTarget", (PlacementMachine,), attributes)

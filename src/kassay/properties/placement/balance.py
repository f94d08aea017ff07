"""Claims about how evenly placers load brokers (kind P), held against a certified best.

Existing partitions of the topic count: what is judged is the topic as it is afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kassay.model.kinds import Kind
from kassay.model.placement.request import Replicas
from kassay.model.placement.step import PlacementStep
from kassay.properties.placement.replicas import is_placed
from kassay.properties.registry import Evidence, Scope, claim


class BestPlacement(NamedTuple):
    """The certified best loads of unfenced brokers for a request, ascending, from whoever has a solver.

    `replicas` is for placements on unfenced brokers alone, None if these are too few; `leaders` are
    preferred leaders.
    """

    replicas: tuple[int, ...] | None
    leaders: tuple[int, ...]


def replica_loads(step: PlacementStep) -> dict[int, int]:
    """Replicas of the topic on each unfenced broker, existing partitions included."""
    held = Counter(broker for replicas in _topic(step) for broker in replicas)
    return {broker: held[broker] for broker in sorted(step.request.unfenced)}


def leader_loads(step: PlacementStep) -> dict[int, int]:
    """Partitions of the topic that each unfenced broker leads, existing ones included."""
    led = Counter(replicas[0] for replicas in _topic(step) if replicas)
    return {broker: led[broker] for broker in sorted(step.request.unfenced)}


def _topic(step: PlacementStep) -> Iterable[Replicas]:
    return (*step.request.existing, *(step.placed or ()))


def gap(loads: Iterable[int], best: Iterable[int]) -> int:
    """How much less even the loads are than the best: the difference of their sums of squares."""
    return sum(load * load for load in loads) - sum(load * load for load in best)


def _is_even(loads: Mapping[int, int]) -> bool:
    return max(loads.values(), default=0) - min(loads.values(), default=0) <= 1


@claim(
    "replicas-even",
    kinds=Kind.PLACER,
    scope=Scope.OPTIMUM,
    applies=is_placed,
    source="AdminUtils, its first goal",
)
def replicas_even(step: PlacementStep, best: BestPlacement) -> Iterator[Evidence]:
    """Replicas per broker are within one where the rack rule allows, else as even as they can be.

    Judged where the new replicas are on unfenced brokers: with fenced ones among them, who may lead
    stands in the way of balance.
    """
    loads = replica_loads(step)
    keeps_to_unfenced = all(step.request.unfenced.issuperset(row) for row in step.placed or ())
    if best.replicas is None or not keeps_to_unfenced or _is_even(loads):
        return
    worse = gap(loads.values(), best.replicas)
    if worse > 0:
        yield Evidence("replicas", {"are": loads, "could be": best.replicas, "squares too many": worse})


@claim("leaders-even", kinds=Kind.PLACER, scope=Scope.OPTIMUM, applies=is_placed, source="KAFKA-15354")
def leaders_even(step: PlacementStep, best: BestPlacement) -> Iterator[Evidence]:
    """Preferred leaders per unfenced broker are within one, existing partitions included, where possible."""
    loads = leader_loads(step)
    worse = gap(loads.values(), best.leaders)
    if not _is_even(loads) and worse > 0:
        yield Evidence("leaders", {"are": loads, "could be": best.leaders, "squares too many": worse})

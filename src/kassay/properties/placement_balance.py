"""Claims about how evenly placers load brokers (kind P), held against a certified best.

Existing partitions of the topic count: what is judged is the topic as it is afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kassay.model.placement import Replicas
from kassay.model.placement_step import PlacementStep
from kassay.properties.placement import is_placed
from kassay.properties.registry import Evidence, Scope, claim


class BestPlacement(NamedTuple):
    """The certified best loads for a request, ascending, supplied by whoever has a solver.

    `replicas` are those of all brokers, `replicas_unfenced` those of the unfenced ones if only these
    are used (None if they are too few), `leaders` the preferred leaders of unfenced brokers.
    """

    replicas: tuple[int, ...]
    leaders: tuple[int, ...]
    replicas_unfenced: tuple[int, ...] | None = None


def replica_loads(step: PlacementStep) -> dict[int, int]:
    """Replicas of the topic on each broker, existing partitions included."""
    held = Counter(broker for replicas in _topic(step) for broker in replicas)
    return {broker.broker_id: held[broker.broker_id] for broker in step.request.brokers}


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
    "replicas-even", kinds="P", scope=Scope.OPTIMUM, applies=is_placed, source="AdminUtils, its first goal"
)
def replicas_even(step: PlacementStep, best: BestPlacement) -> Iterator[Evidence]:
    """Replicas per broker are within one where the rack rule allows, else as even as they can be."""
    loads = replica_loads(step)
    if not is_placed(step) or _is_even(loads):
        return
    wanted = best.replicas
    unfenced = {broker: load for broker, load in loads.items() if broker in step.request.unfenced}
    if best.replicas_unfenced is not None and sum(unfenced.values()) == sum(loads.values()):
        loads, wanted = unfenced, best.replicas_unfenced
        if _is_even(loads):
            return
    if gap(loads.values(), wanted) > 0:
        yield Evidence(
            "replicas", {"are": loads, "could be": wanted, "squares too many": gap(loads.values(), wanted)}
        )


@claim("leaders-even", kinds="P", scope=Scope.OPTIMUM, applies=is_placed, source="KAFKA-15354")
def leaders_even(step: PlacementStep, best: BestPlacement) -> Iterator[Evidence]:
    """Preferred leaders per unfenced broker are within one, existing partitions included, where possible."""
    loads = leader_loads(step)
    if not is_placed(step) or _is_even(loads):
        return
    if gap(loads.values(), best.leaders) > 0:
        yield Evidence(
            "leaders",
            {"are": loads, "could be": best.leaders, "squares too many": gap(loads.values(), best.leaders)},
        )

"""Claims about how evenly placers load brokers (kind P), compared with a certified best.

Existing partitions of the topic count: the topic is judged as it is afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementStep
from kassay.properties.placement.replicas import brokers
from kassay.properties.registry import Evidence, Scope, claim


class BestPlacement(NamedTuple):
    """The certified best loads of unfenced brokers for a request, ascending, supplied by a solver.

    `replicas` is for placements on unfenced brokers alone, None if these are too few; `leaders` are preferred
    leaders.
    """

    replicas: tuple[int, ...] | None
    leaders: tuple[int, ...]


def gap(loads: Iterable[int], best: Iterable[int]) -> int:
    """How much less even the loads are than the best: the difference of their sums of squares."""
    return sum(load * load for load in loads) - sum(load * load for load in best)


def _is_even(loads: Mapping[int, int]) -> bool:
    return max(loads.values(), default=0) - min(loads.values(), default=0) <= 1


def _is_on_unfenced(step: PlacementStep, best: BestPlacement) -> bool:
    """Whether the new replicas are on unfenced brokers alone, and these are enough."""
    return best.replicas is not None and all(map(step.request.unfenced.issuperset, step.placed or ()))


def _may_be_uneven(step: PlacementStep, best: BestPlacement) -> bool:
    """Whether the new replicas could be less even than the best: all on the fullest unfenced brokers."""
    request = step.request
    held = Counter(broker for row in request.existing for broker in row if broker in request.unfenced)
    fullest = sorted(sorted(request.unfenced), key=held.__getitem__, reverse=True)
    loads = {broker: held[broker] for broker in fullest}
    for broker in fullest[: request.replication_factor]:
        loads[broker] += request.partitions
    return not _is_even(loads) and gap(loads.values(), best.replicas or ()) > 0


@claim(
    "replicas-even",
    kinds=PLACER,
    scope=Scope.OPTIMUM,
    applies=_is_on_unfenced,
    breakable=_may_be_uneven,
    source="AdminUtils, its first goal",
    fix=(
        "place the next replica on the broker with the fewest in the allowed racks, counting "
        "existing partitions"
    ),
)
def replicas_even(step: PlacementStep, best: BestPlacement) -> Iterator[Evidence]:
    """Replicas per broker are within one where the rack rule allows, else as even as possible.

    Judged where the new replicas are on unfenced brokers: with fenced ones among them, the rule
    for leaders conflicts with balance.
    """
    loads = step.replica_loads
    worse = gap(loads.values(), best.replicas or ())
    if not _is_even(loads) and worse > 0:
        yield _uneven("replicas", loads, best.replicas or (), worse)


def _uneven(what: str, loads: Mapping[int, int], best: tuple[int, ...], worse: int) -> Evidence:
    least, most = min(loads.values()), max(loads.values())
    ends = [brokers([broker for broker, load in loads.items() if load == end], 3) for end in (most, least)]
    possible = f"{best[0]} each is" if best[0] == best[-1] else f"{best[0]} to {best[-1]} are"
    if (best[0], best[-1]) == (least, most):
        possible = "a more even spread is"
    where = f"most: {ends[0]}; least: {ends[1]}"
    words = f"Brokers have {least} to {most} {what} ({where}), but {possible} possible."
    return Evidence(what, {"are": loads, "could be": best, "squares too many": worse}, words)


def _may_lead_unevenly(step: PlacementStep, best: BestPlacement) -> bool:
    """Whether leaders could be less even than the best: all new ones where most are already."""
    request = step.request
    led = Counter(row[0] for row in request.existing if row)
    loads = {broker: led[broker] for broker in request.unfenced}
    if loads:
        loads[max(loads, key=loads.__getitem__)] += request.partitions
    return not _is_even(loads) and gap(loads.values(), best.leaders) > 0


@claim(
    "leaders-even",
    kinds=PLACER,
    scope=Scope.OPTIMUM,
    breakable=_may_lead_unevenly,
    source="KAFKA-15354",
    fix=("rotate the first replica, so that the next leader is the broker that leads the fewest"),
)
def leaders_even(step: PlacementStep, best: BestPlacement) -> Iterator[Evidence]:
    """Preferred leaders per unfenced broker are within one, existing partitions included, where possible."""
    loads = step.leader_loads
    worse = gap(loads.values(), best.leaders)
    if not _is_even(loads) and worse > 0:
        yield _uneven("leaders", loads, best.leaders, worse)

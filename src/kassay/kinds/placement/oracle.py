"""The certified best loads for a placement request, as the value that claims read.

Replicas: the solver's optimum for the new partitions; existing ones stay where they are. Leaders: any
unfenced broker can lead any new partition, whatever the rack rule says of its followers, so the best is to
add to those that lead least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from kassay.model import cluster
from kassay.model.placement.request import Placement, PlacementRequest, PlacementStep
from kassay.properties.placement.balance import BestPlacement
from kassay.solver.placement.optimum import PlacementOptimum, best_placement
from kassay.solver.placement.problem import Broker, PlacedTopic, PlacementProblem

CACHED = 4096
"""Requests whose optimum is cached."""


def best_of_placement(step: PlacementStep) -> BestPlacement | None:
    """The certified best for the step's request; None where the request cannot be met.

    Where only some brokers have a rack, racks say nothing about balance: such a request is left out.
    """
    return _best(step.request)


@lru_cache(maxsize=CACHED)
def _best(request: PlacementRequest) -> BestPlacement | None:
    if request.has_partial_racks or not 1 <= request.replication_factor <= len(request.brokers):
        return None
    unfenced = [broker for broker in request.brokers if not broker.fenced]
    enough = len(unfenced) >= request.replication_factor
    return BestPlacement(_replicas(request, unfenced) if enough else None, _leaders(request))


def best_rows(request: PlacementRequest) -> Placement | None:
    """The most even replicas of the new partitions, on unfenced brokers if enough; None if impossible.

    The leader of a partition is its unfenced broker with the fewest led partitions so far.
    """
    unfenced = [broker for broker in request.brokers if not broker.fenced]
    brokers = unfenced if len(unfenced) >= request.replication_factor else request.brokers
    if request.has_partial_racks or not 1 <= request.replication_factor <= len(brokers):
        return None
    led = Counter(row[0] for row in request.existing if row)
    fenced = {broker.broker_id for broker in brokers if broker.fenced}
    rows = []
    for row in _optimum(request, brokers).rows:
        leader = min(row, key=lambda broker: (broker in fenced, led[broker], broker))
        led[leader] += 1
        rows.append((leader, *(broker for broker in row if broker != leader)))
    return tuple(rows)


def _optimum(request: PlacementRequest, brokers: Iterable[cluster.Broker]) -> PlacementOptimum:
    """The most even replicas of the new partitions on these brokers; existing replicas stay."""
    held = Counter(broker for row in request.existing for broker in row)
    taking = tuple(
        Broker(broker.broker_id, broker.rack, base=held[broker.broker_id]) for broker in sorted(brokers)
    )
    topic = PlacedTopic("t", request.partitions, request.replication_factor)
    return best_placement(PlacementProblem(taking, (topic,), {"t": ((),) * request.partitions}))


def _replicas(request: PlacementRequest, brokers: Iterable[cluster.Broker]) -> tuple[int, ...]:
    """The most even replica counts of these brokers, existing partitions included, ascending."""
    best = _optimum(request, brokers)
    loads = Counter({broker.id: broker.base for broker in best.problem.brokers})
    loads.update(broker for row in best.rows for broker in row)
    return tuple(sorted(loads.values()))


def _leaders(request: PlacementRequest) -> tuple[int, ...]:
    """The most even counts of led partitions of the unfenced brokers, existing ones included, ascending."""
    led = Counter(row[0] for row in request.existing if row)
    loads = [led[broker] for broker in request.unfenced]
    for _ in range(request.partitions if loads else 0):
        loads[loads.index(min(loads))] += 1
    return tuple(sorted(loads))

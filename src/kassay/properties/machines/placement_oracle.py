"""The placement claims that an answer breaks, found the slow way: by trying all sets of brokers.

It shares only the values with the claims, so that each can check the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from kassay.model.cluster import Broker
from kassay.model.placement.request import Placement, PlacementRequest, PlacementStep, Replicas

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

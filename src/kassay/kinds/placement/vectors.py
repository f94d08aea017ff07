"""Vectors of replica placement: `AdminUtils.assignReplicasToBrokers` and `StripedReplicaPlacer`.

A placement is compared with replicas in order, or, for a foreign target, as preferred leader and set of
followers. A refusal is compared by Java class; a foreign target only has to refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kassay.kinds.vectors import compared, vector_format
from kassay.model.cluster import Broker
from kassay.model.errors import InputError
from kassay.model.java import JavaRandom, RandomSource, Recorded
from kassay.model.placement.request import Placement, PlacementRequest, Placer, Replicas
from kassay.reading.documents import Limited
from kassay.reading.values import read_as


@dataclass(frozen=True)
class BrokerFields:
    """A broker."""

    id: int
    rack: str | None
    fenced: bool = False


@dataclass(frozen=True)
class PlacementExpected:
    """Replicas by partition, or the Java class of the refusal."""

    assignment: tuple[tuple[int, tuple[int, ...]], ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class PlacementVector:
    """One vector; `random` holds the random numbers, each a bound and a value."""

    partitions: Limited
    replication_factor: Limited
    brokers: tuple[BrokerFields, ...]
    expected: PlacementExpected
    start_partition_id: int = -1
    fixed_start_index: int = -1
    rack_iteration_order: tuple[str | None, ...] | None = None
    random: tuple[tuple[int, int], ...] | None = None

    @property
    def request(self) -> PlacementRequest:
        """The request to the placer."""
        return PlacementRequest(
            partitions=self.partitions,
            replication_factor=self.replication_factor,
            brokers=tuple(Broker(broker.id, broker.rack, broker.fenced) for broker in self.brokers),
            start_partition_id=self.start_partition_id,
            fixed_start_index=self.fixed_start_index,
            rack_order=self.rack_iteration_order,
        )


def reference_of(vector: Mapping[str, Any]) -> str:
    """The branch of `AdminUtils` that a vector takes: rack-aware if any of its brokers has a rack."""
    has_racks = any(broker.rack is not None for broker in read_as(PlacementVector, vector).brokers)
    return "placement:rack-aware" if has_racks else "placement:rack-unaware"


@vector_format("replicas-adminutils", PlacementVector, reference=reference_of)
def check_adminutils(vector: PlacementVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """None if the target places as `AdminUtils` did, else the difference."""
    # The start index is fixed in these vectors: a target with random numbers leaves the recorded run.
    random: RandomSource = Recorded(()) if exact else JavaRandom(0)
    return _difference(vector, factory(), random, exact)


@vector_format("replicas-striped", PlacementVector, reference="placement:striped")
def check_striped(vector: PlacementVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """None if the target places as `StripedReplicaPlacer` did on the recorded draws, else the difference."""
    if vector.random is None:
        raise InputError("random: missing")
    random = Recorded(list(vector.random))
    difference = _difference(vector, factory(), random, exact)
    if difference is None and exact and random.left:
        return f"{random.left} of {len(vector.random)} recorded random numbers were not drawn"
    return difference


def _difference(vector: PlacementVector, placer: Placer, random: RandomSource, exact: bool) -> str | None:
    """The difference between the placer's answer and the vector's; None if they agree."""
    request = vector.request
    return compared(
        lambda: placer.place(request, random),
        vector.expected.error,
        lambda placement: _first_difference(
            placement, dict(vector.expected.assignment), request.first_partition, exact
        ),
        exact=exact,
    )


def _first_difference(
    placement: Placement, wanted: Mapping[int, Replicas], first: int, exact: bool
) -> str | None:
    placed = dict(enumerate(placement, start=first))
    if placed.keys() != wanted.keys():
        return f"placed partitions {sorted(placed)}, expected {sorted(wanted)}"
    for partition, replicas in placed.items():
        other = wanted[partition]
        if replicas != other and (exact or _unordered(replicas) != _unordered(other)):
            return f"partition {partition} on {list(replicas)}, expected {list(other)}"
    return None


def _unordered(replicas: Replicas) -> tuple[Replicas, Replicas]:
    """The leader, then the followers in the order of their ids."""
    return replicas[:1], tuple(sorted(replicas[1:]))

"""Requests to placers, generated from a source of choices.

Racks are absent, even, uneven or partial; brokers are fenced; the replication factor is small, near the
number of brokers, or above it; topics are new or growing; sometimes there are enough partitions for a leader
to have all possible followers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kassay.model.cluster import Broker
from kassay.model.placement.request import PlacementRequest, Replicas
from kassay.properties.sources import Source, many

NO_RACKS, EVEN_RACKS, UNEVEN_RACKS, PARTIAL_RACKS = "none", "even", "uneven", "partial"


@dataclass(frozen=True)
class PlacementProfile:
    """The sizes and features of requests."""

    brokers_max: int = 8
    partitions_max: int = 24
    racks: tuple[str, ...] = (UNEVEN_RACKS, NO_RACKS, EVEN_RACKS, PARTIAL_RACKS)
    fenced: bool = True
    existing: bool = True
    too_few_brokers: bool = True


SMALL: Final = PlacementProfile()
LARGE: Final = PlacementProfile(brokers_max=40, partitions_max=200)


def request(source: Source, profile: PlacementProfile = SMALL) -> PlacementRequest:
    """One well-formed request; the source's choices decide everything in it."""
    hosts = brokers(source, profile)
    factor = _replication_factor(source, len(hosts), profile)
    existing: tuple[Replicas, ...] = ()
    if profile.existing and factor <= len(hosts) and source.boolean(0.3):
        existing = tuple(many(source, 1, 6, lambda _: replicas(source, hosts, factor), 0.7))
    partitions = source.integer(1, profile.partitions_max)
    if len(hosts) <= 5 and source.boolean(0.25):
        partitions = len(hosts) * (len(hosts) + source.integer(1, 2))
    start = source.integer(0, len(hosts)) if source.boolean(0.2) else -1
    return PlacementRequest(partitions, factor, hosts, existing, fixed_start_index=start)


def brokers(source: Source, profile: PlacementProfile = SMALL) -> tuple[Broker, ...]:
    """At least one broker, in any order of ids, at least one of them unfenced."""
    gap = source.integer(1, 3)
    size = len(many(source, 1, profile.brokers_max, lambda i: i, 0.8))
    racks = _racks(source, size, source.choice(profile.racks))
    fencing = profile.fenced and source.boolean(0.4)
    hosts = [Broker(i * gap, rack, fencing and source.boolean(0.3)) for i, rack in enumerate(racks)]
    if all(broker.fenced for broker in hosts):
        hosts[0] = hosts[0]._replace(fenced=False)
    return tuple(reversed(hosts)) if source.boolean(0.3) else tuple(hosts)


def _racks(source: Source, size: int, form: str) -> list[str | None]:
    """The rack of each of `size` brokers."""
    if form == NO_RACKS:
        return [None] * size
    names = [f"rack{i}" for i in range(source.integer(1, max(1, min(4, size))))]
    if form == EVEN_RACKS:
        return [names[i % len(names)] for i in range(size)]
    racks: list[str | None] = [source.choice(names) for _ in range(size)]
    if form == PARTIAL_RACKS:
        racks[source.integer(0, size - 1)] = None
    return racks


def _replication_factor(source: Source, size: int, profile: PlacementProfile) -> int:
    """A small one, one near the number of brokers, or one above it."""
    form = source.integer(0, 9)
    if form < 5:
        return source.integer(1, min(3, size))
    if form < 7:
        return size
    if form < 9 or not profile.too_few_brokers:
        return max(1, size - 1)
    return size + source.integer(1, 2)


def replicas(source: Source, hosts: tuple[Broker, ...], factor: int) -> Replicas:
    """`factor` different brokers."""
    left = [broker.broker_id for broker in hosts]
    row = []
    for _ in range(factor):
        row.append(source.choice(left))
        left.remove(row[-1])
    return tuple(row)

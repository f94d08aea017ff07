"""Requests to planners, generated from a source of choices."""

from __future__ import annotations

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.plan import PlanRequest
from kassay.properties.placement.scenarios import (
    EVEN_RACKS,
    NO_RACKS,
    UNEVEN_RACKS,
    PlacementProfile,
    brokers,
    replicas,
)
from kassay.properties.sources import Source, many

_PROFILE = PlacementProfile(brokers_max=7, racks=(NO_RACKS, EVEN_RACKS, UNEVEN_RACKS), fenced=False)


def plan_request(source: Source) -> PlanRequest:
    """Brokers that are added, removed or moved to another rack, with one or two existing topics."""
    hosts = brokers(source, _PROFILE)
    stay = list(hosts)
    if len(stay) > 1 and source.boolean(0.6):
        stay.remove(source.choice(stay))
    if len(stay) > 2 and source.boolean(0.2):
        stay.remove(source.choice(stay))
    factor = source.integer(1, min(3, len(stay)))
    # New brokers hold nothing yet: rows use some of the brokers that existed before.
    empty = source.integer(0, len(hosts) - factor) if source.boolean(0.5) else 0
    holders = hosts[: len(hosts) - empty]
    rows = many(source, 1, 10, lambda _: replicas(source, holders, factor), 0.8)
    split = source.integer(1, len(rows))
    before = tuple(
        (TopicPartition("t0", number) if number < split else TopicPartition("t1", number - split), row)
        for number, row in enumerate(rows)
    )
    return PlanRequest(_reracked(source, stay), before, factor)


def _reracked(source: Source, hosts: list[Broker]) -> tuple[Broker, ...]:
    """The brokers, sometimes with one of them in another rack."""
    racks = sorted({broker.rack for broker in hosts if broker.rack is not None})
    if len(racks) > 1 and source.boolean(0.3):
        place = source.integer(0, len(hosts) - 1)
        hosts = [*hosts[:place], hosts[place]._replace(rack=source.choice(racks)), *hosts[place + 1 :]]
    return tuple(hosts)

"""Requests that reach a situation of placers or planners for certain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.plan import PlanRequest
from kassay.model.placement.request import PlacementRequest, Replicas
from kassay.properties.placement.scenarios import NO_RACKS, PlacementProfile, replicas
from kassay.properties.sources import Source, many


class _Parts(NamedTuple):
    """The parts of a request, except the number of partitions."""

    brokers: list[Broker]
    factor: int
    existing: tuple[Replicas, ...] = ()


def _plain(source: Source, profile: PlacementProfile) -> _Parts:
    """Three to six brokers, none of them fenced, over two even racks or without racks, at a small factor."""
    size = source.integer(3, 6)
    racked = profile.racks != (NO_RACKS,) and source.boolean()
    names = [f"rack{i % 2}" if racked else None for i in range(size)]
    return _Parts([Broker(i, rack) for i, rack in enumerate(names)], source.integer(1, 2))


def _uneven(source: Source, parts: _Parts) -> _Parts:
    """All brokers but one or two in one rack; with as many in both, one more in the first."""
    small = source.integer(1, (len(parts.brokers) - 1) // 2)
    racks = ["rack1"] * small + ["rack0"] * (len(parts.brokers) - small)
    return parts._replace(brokers=[b._replace(rack=rack) for b, rack in zip(parts.brokers, racks)])


def _fenced(source: Source, parts: _Parts) -> _Parts:
    """One broker fenced; the others are enough for the factor."""
    fenced = source.integer(0, len(parts.brokers) - 1)
    brokers = [b._replace(fenced=i == fenced) for i, b in enumerate(parts.brokers)]
    return parts._replace(brokers=brokers)


def _near(source: Source, parts: _Parts) -> _Parts:
    """As many replicas as there are brokers, or one less."""
    return parts._replace(factor=len(parts.brokers) - source.boolean())


def _grown(source: Source, parts: _Parts) -> _Parts:
    """Some existing partitions, anywhere."""
    hosts = tuple(parts.brokers)
    return parts._replace(
        existing=tuple(many(source, 1, 6, lambda _: replicas(source, hosts, parts.factor), 0.7))
    )


_PLACING: Final[dict[str, Callable[[Source, _Parts], _Parts]]] = {
    "uneven-racks": _uneven,
    "fenced": _fenced,
    "rf-near-brokers": _near,
    "partitions-added": _grown,
}
PLACER_AIMS: Final = {name: name for name in _PLACING}
PLANNER_AIMS: Final = {"many-moves": "many-moves"}
"""The recipe for a situation by the situation's name."""


def aimed_request(source: Source, profile: PlacementProfile, aim: str) -> PlacementRequest:
    """A request in the situation called `aim`; raises `KeyError` where there is no recipe for it."""
    parts = _PLACING[aim](source, _plain(source, profile))
    partitions = source.integer(1, profile.partitions_max)
    return PlacementRequest(partitions, parts.factor, tuple(parts.brokers), parts.existing)


def aimed_plan_request(source: Source) -> PlanRequest:
    """Two brokers to be removed, and partitions with both of their replicas there."""
    stay = tuple(Broker(i) for i in range(2, 2 + source.integer(2, 5)))
    rows = many(source, 1, 6, lambda _: (0, 1) if source.boolean() else (1, 0), 0.6)
    before = tuple((TopicPartition("t0", number), row) for number, row in enumerate(rows))
    return PlanRequest(stay, before, 2)

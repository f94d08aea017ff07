"""Requests to placers and planners, from a source of choices or made to reach a situation for certain.

The situations of placers and planners, each a predicate over a request or a plan.

Requests to placers, generated from a source of choices.

Racks are absent, even, uneven or partial; brokers are fenced; the replication factor is small, near the
number of brokers, or above it; topics are new or growing; sometimes there are enough partitions for a leader
to have all possible followers.

Requests to planners, generated from a source of choices.

Requests that reach a situation of placers or planners for certain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.placement.plan import Plan, PlanRequest
from kassay.model.placement.request import PlacementRequest, Replicas
from kassay.properties.registry import situation
from kassay.properties.sources import Source, many

_SPREADING: Final = ("rack-spread", "leaders-even", "no-fenced-leader")


@situation("uneven-racks", kinds=PLACER, required_by=_SPREADING, excluded_by=("no-racks",))
def has_uneven_racks(request: PlacementRequest) -> bool:
    """Racks have different sizes."""
    racks = [broker.rack for broker in request.brokers]
    return request.has_racks and len({racks.count(rack) for rack in racks}) > 1


@situation("fenced", kinds=PLACER, required_by=_SPREADING)
def has_fenced(request: PlacementRequest) -> bool:
    """There are fenced brokers."""
    return len(request.unfenced) < len(request.brokers)


@situation("rf-near-brokers", kinds=PLACER, required_by=_SPREADING)
def is_near_broker_count(request: PlacementRequest) -> bool:
    """RF = brokers or one less."""
    return len(request.brokers) - request.replication_factor in (0, 1)


@situation("partitions-added", kinds=PLACER, required_by=("leaders-even",))
def adds_partitions(request: PlacementRequest) -> bool:
    """An existing topic grows."""
    return bool(request.existing)


@situation("many-moves", kinds=PLANNER, required_by=("plan-valid",))
def has_many_moves(plan: Plan) -> bool:
    """Several replicas of one partition move in one plan."""
    return len({move.partition for move in plan.moves}) < len(plan.moves)


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

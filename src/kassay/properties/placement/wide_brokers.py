"""Wide requests to placers and planners: what both have, ids of brokers, racks and replication factors.

A range changes a request and keeps its numbers of brokers, partitions and topics, unless they are too small
for the class: then it adds what is missing. Replicas of existing partitions follow their brokers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import count, islice, pairwise
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.plan import PlanRequest
from kassay.model.placement.request import PlacementRequest, Replicas
from kassay.properties.sources import Source
from kassay.properties.wide.ranges import Size, WideRange

Rows: TypeAlias = tuple[Replicas, ...]
NO_RACKS: Final = frozenset({"no-racks"})
_INT_MAX: Final = 2**31 - 1
_R = TypeVar("_R", bound=PlacementRequest | PlanRequest)


# What both kinds of request have


def rows_of(request: PlacementRequest | PlanRequest) -> Rows:
    """The replicas of the existing partitions."""
    if isinstance(request, PlacementRequest):
        return request.existing
    return tuple(row for _, row in request.before)


def with_rows(request: _R, rows: Sequence[Replicas]) -> _R:
    """The request with these replicas of its existing partitions; a planner's partitions keep their names."""
    changes: dict[str, Any] = {"existing": tuple(rows)}
    if isinstance(request, PlanRequest):
        parts = [*(tp for tp, _ in request.before), *_more_parts(request)]
        changes = {"before": tuple(zip(parts[: len(rows)], rows, strict=True))}
    return replace(request, **changes)


def _more_parts(request: PlanRequest) -> Iterable[TopicPartition]:
    """Further partitions of the request's last topic, as many as there may be."""
    topic = request.before[-1][0].topic
    start = 1 + max(tp.partition for tp, _ in request.before if tp.topic == topic)
    return (TopicPartition(topic, number) for number in range(start, start + 1001))


def with_brokers(request: _R, least: int) -> _R:
    """The request with so many brokers at least, the added ones like the last."""
    missing = least - len(request.brokers)
    if missing <= 0:
        return request
    taken = {b.broker_id for b in request.brokers}.union(*rows_of(request))
    fresh = islice((number for number in count() if number not in taken), missing)
    last = request.brokers[-1]
    return replace(request, brokers=(*request.brokers, *(Broker(number, last.rack) for number in fresh)))


def ids_of(request: PlacementRequest | PlanRequest) -> list[int]:
    """The ids of the brokers, in their order."""
    return [broker.broker_id for broker in request.brokers]


class RequestClass(NamedTuple):
    """A class of requests: how one is changed to show it, and whether one does."""

    id: str
    widen: Callable[[Any, Source], Any]
    seen: Callable[[Any], bool]


def range_of(
    id_: str, source: str, classes: Iterable[RequestClass], excluded_by: frozenset[str] = frozenset()
) -> WideRange:
    """The range of these classes."""
    known = {each.id: each for each in classes}
    return WideRange(
        id_,
        tuple(known),
        lambda request, wanted, choices: known[wanted].widen(request, choices),
        lambda request, wanted: known[wanted].seen(request),
        source,
        excluded_by,
    )


# Ids of brokers


def _renumbered(request: _R, new: Callable[[int, Source], Sequence[int]], source: Source) -> _R:
    """The request with other ids of its three brokers or more, and of those that leave."""
    request = with_brokers(request, 3)
    own = ids_of(request)
    gone = sorted({broker for row in rows_of(request) for broker in row}.difference(own))
    fresh = new(len(own) + len(gone), source)
    ids = dict(zip((*own, *gone), fresh, strict=True))
    brokers = tuple(broker._replace(broker_id=ids[broker.broker_id]) for broker in request.brokers)
    rows = [tuple(ids[broker] for broker in row) for row in rows_of(request)]
    return with_rows(replace(request, brokers=brokers), rows)


def _numbering(
    id_: str, new: Callable[[int, Source], Sequence[int]], seen: Callable[[list[int]], bool]
) -> RequestClass:
    return RequestClass(
        id_, lambda request, source: _renumbered(request, new, source), lambda request: seen(ids_of(request))
    )


def _around(boundary: int) -> RequestClass:
    """Ids on both sides of a boundary."""

    def ids(size: int, source: Source) -> Sequence[int]:
        start = boundary - source.integer(1, 2)
        return range(start, start + size)

    return _numbering(
        f"{boundary - 1} and {boundary}", ids, lambda own: {boundary - 1, boundary}.issubset(own)
    )


def _shuffled(size: int, source: Source) -> Sequence[int]:
    """Ids of which the first three are neither ascending nor descending."""
    return (*(source.choice(((1, 0, 2), (2, 0, 1), (0, 2, 1)))), *range(3, size))


BROKER_IDS: Final = (
    _around(128),
    _numbering("1000 and more", lambda size, _: range(1001, 1001 + size), lambda own: min(own) >= 1000),
    _numbering("descending", lambda size, _: range(size)[::-1], lambda own: own == sorted(own)[::-1]),
    _around(256),
    _numbering(
        "2147483647",
        lambda size, _: [_INT_MAX - number for number in range(size)],
        lambda own: _INT_MAX in own,
    ),
    _numbering("from 1", lambda size, _: range(1, size + 1), lambda own: own == list(range(1, len(own) + 1))),
    _around(10),
    _numbering(
        "holes", lambda size, _: [3 * n + n // 2 for n in range(size)], lambda own: smallest_gap(own) > 1
    ),
    _numbering(
        "large holes", lambda size, _: [101 * n for n in range(size)], lambda own: smallest_gap(own) > 99
    ),
    _around(32_768),
    _numbering("in no order", _shuffled, lambda own: own not in (sorted(own), sorted(own)[::-1])),
    _around(65_536),
    _around(100),
    _numbering(
        "from 0 to 2147483647",
        lambda size, _: [_INT_MAX, *range(size - 1)],
        lambda own: min(own) == 0 and max(own) == _INT_MAX,
    ),
    _numbering("from 0", lambda size, _: range(size), lambda own: own == list(range(len(own)))),
)


def smallest_gap(ids: Sequence[int]) -> int:
    """The smallest distance of two ids."""
    ordered = sorted(ids)
    return min((after - before for before, after in pairwise(ordered)), default=0)


# Racks

Layout: TypeAlias = Callable[[int], Sequence[str | None]]
"""The racks of so many brokers."""


def _laid_out(
    id_: str, layout: Layout, seen: Callable[[Sequence[str | None]], bool], least: int
) -> RequestClass:
    """Brokers in these racks; there are at least so many brokers."""

    def widen(request: _R, source: Source) -> _R:
        request = with_brokers(request, least)
        racks = list(layout(len(request.brokers)))
        if source.boolean():
            racks.reverse()
        brokers = tuple(b._replace(rack=rack) for b, rack in zip(request.brokers, racks, strict=True))
        return replace(request, brokers=brokers)

    return RequestClass(id_, widen, lambda request: seen([broker.rack for broker in request.brokers]))


def in_turn(number: int) -> RequestClass:
    """So many racks, in turn."""
    return _laid_out(
        str(number),
        lambda size: [f"rack{place % number}" for place in range(size)],
        lambda racks: len({*racks} - {None}) == number and None not in racks,
        number,
    )


def _sizes(racks: Sequence[str | None]) -> list[int]:
    """The numbers of brokers of the racks, ascending; empty where a broker has none."""
    return [] if None in racks else sorted(Counter(racks).values())


RACKS: Final = (
    in_turn(5),
    _laid_out(
        "one much larger",
        lambda size: ["rack0", "rack2", *(["rack1"] * (size - 2))],
        lambda racks: len(_sizes(racks)) > 2 and _sizes(racks)[-1] >= 4 * _sizes(racks)[-2],
        6,
    ),
    in_turn(4),
    _laid_out(
        "one each",
        lambda size: [f"rack{place}" for place in range(size)],
        lambda racks: len(racks) > 2 and _sizes(racks) == [1] * len(racks),
        3,
    ),
    in_turn(3),
    _laid_out(
        "of 1 and 2 and more brokers",
        lambda size: ["rack0", "rack1", "rack1", *(["rack2"] * (size - 3))],
        lambda racks: len(_sizes(racks)) > 2 and len({*_sizes(racks)}) == len(_sizes(racks)),
        6,
    ),
    *map(in_turn, (1, 2, 6, 7, 8, 9, 10)),
    _laid_out(
        "one after the other",
        lambda size: [f"rack{2 * place // size}" for place in range(size)],
        lambda racks: len({*racks}) == 2 and racks in (sorted(racks, key=str), sorted(racks, key=str)[::-1]),
        4,
    ),
    _laid_out("none", lambda size: [None] * size, lambda racks: {*racks} == {None}, 2),
    in_turn(17),
    in_turn(65),
)
PARTIAL: Final = (
    _laid_out(
        "one broker without",
        lambda size: [None, *(f"rack{place % 2}" for place in range(size - 1))],
        lambda racks: racks.count(None) == 1 < len(racks),
        3,
    ),
    _laid_out(
        "only one broker with",
        lambda size: ["rack0", *([None] * (size - 1))],
        lambda racks: len(racks) - racks.count(None) == 1 < len(racks),
        3,
    ),
    _laid_out(
        "half without",
        lambda size: ["rack0" if place % 2 else None for place in range(size)],
        lambda racks: abs(2 * racks.count(None) - len(racks)) < 2 and len(racks) > 3,
        4,
    ),
)


# Replication factors


def with_factor(request: _R, factor: int) -> _R:
    """The request with this factor; existing rows get the missing replicas or lose some."""
    ids = ids_of(request)
    rows = []
    for row in rows_of(request):
        others = [broker for broker in ids if broker not in row]
        rows.append((*row, *others)[:factor])
    return with_rows(replace(request, replication_factor=factor), rows)


def _factor(number: int) -> RequestClass:
    def widen(request: _R, source: Source) -> _R:
        return with_factor(with_brokers(request, number + source.integer(0, 2)), number)

    def seen(request: PlacementRequest | PlanRequest) -> bool:
        return request.replication_factor == number <= len(request.brokers)

    return RequestClass(str(number), widen, seen)


def rack_count(request: PlacementRequest | PlanRequest) -> int:
    """The number of racks; 0 where a broker has none."""
    racks = [broker.rack for broker in request.brokers]
    return 0 if None in racks else len({*racks})


_FACTOR_MAX: Final = 20
"""The largest factor by which a request is changed."""


def _of_brokers(id_: str, less: int) -> RequestClass:
    """The factor is the number of brokers, or so many less, where these are few."""

    def widen(request: _R, _: Source) -> _R:
        request = with_brokers(request, 3)
        wanted = len(request.brokers) - less
        return with_factor(request, wanted) if wanted <= _FACTOR_MAX else request

    return RequestClass(
        id_, widen, lambda request: request.replication_factor == len(request.brokers) - less > 1
    )


def _of_racks(id_: str, more: int) -> RequestClass:
    """The factor is the number of racks and so many more; there are three racks."""

    def widen(request: _R, source: Source) -> _R:
        racked: _R = in_turn(3).widen(with_brokers(request, 6), source)
        return with_factor(racked, 3 + more)

    def seen(request: PlacementRequest | PlanRequest) -> bool:
        return request.replication_factor == rack_count(request) + more and rack_count(request) > 2

    return RequestClass(id_, widen, seen)


FACTORS: Final = (
    *map(_factor, (3, 4, 5, 2)),
    _of_brokers("all brokers", 0),
    _of_brokers("all brokers but one", 1),
    *map(_factor, (1, 6, 7, 8, 9, 10)),
)
RACK_FACTORS: Final = (
    _of_racks("as racks", 0),
    _of_racks("one more than racks", 1),
    _of_racks("one less", -1),
)


def rotated(ids: Sequence[int], factor: int, size: int) -> Rows:
    """Rows that go round the brokers, as a placer without racks makes them."""
    return tuple(tuple(ids[(place + step) % len(ids)] for step in range(factor)) for place in range(size))


def hosts_of(number: int, racks: int) -> tuple[Broker, ...]:
    """So many brokers, in so many racks in turn or without one."""
    return tuple(Broker(place, f"rack{place % racks}" if racks else None) for place in range(number))


BROKER_SOURCE: Final = "KRaftConfigs.NODE_ID_CONFIG"
RACK_SOURCE: Final = "ServerConfigs.BROKER_RACK_CONFIG"
FACTOR_SOURCE: Final = "CreatableTopic.replicationFactor"


BROKERS: Final = Size("brokers", lambda request: len(request.brokers))

"""Wide requests to placers: very many brokers and partitions, and what is at the ends of what is legal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from kassay.model.placement.request import PlacementRequest
from kassay.properties.placement.wide_brokers import (
    BROKER_IDS,
    BROKER_SOURCE,
    BROKERS,
    FACTOR_SOURCE,
    FACTORS,
    NO_RACKS,
    PARTIAL,
    RACK_FACTORS,
    RACK_SOURCE,
    RACKS,
    RequestClass,
    Rows,
    hosts_of,
    ids_of,
    in_turn,
    rack_count,
    range_of,
    rotated,
    with_brokers,
    with_factor,
)
from kassay.properties.sources import Source
from kassay.properties.wide.ranges import Size


def _too_many(request: PlacementRequest, _: Source) -> PlacementRequest:
    return replace(request, replication_factor=len(request.brokers) + 1, existing=())


_TOO_MANY: Final = (
    RequestClass("one more than brokers", _too_many, lambda r: r.replication_factor == len(r.brokers) + 1),
    RequestClass(
        "32767",
        lambda request, _: replace(request, replication_factor=32_767, existing=()),
        lambda request: request.replication_factor == 32_767,
    ),
)


# Fenced brokers


def _fenced(
    id_: str,
    places: Callable[[PlacementRequest], Iterable[int]],
    least: int = 3,
    *,
    racked: bool = False,
    few: bool = False,
) -> RequestClass:
    """Exactly the brokers at these places are fenced.

    Where `racked`, all are in two racks or more; where `few`, there are two replicas or more on more brokers.
    """

    def widen(request: PlacementRequest, source: Source) -> PlacementRequest:
        request = with_brokers(request, least)
        if racked and rack_count(request) < 2:
            request = in_turn(2).widen(request, source)
        if few:
            factor = max(2, min(request.replication_factor, len(request.brokers) - 1))
            request = with_factor(request, factor)
        wanted = {*places(request)}
        brokers = tuple(b._replace(fenced=at in wanted) for at, b in enumerate(request.brokers))
        return replace(request, brokers=brokers)

    def seen(request: PlacementRequest) -> bool:
        own = {at for at, broker in enumerate(request.brokers) if broker.fenced}
        enough = len(request.brokers) >= least and not (racked and rack_count(request) < 2)
        if few and not 2 <= request.replication_factor < len(request.brokers):
            return False
        return enough and own == {*places(request)}

    return RequestClass(id_, widen, seen)


def _of_first_rack(request: PlacementRequest) -> list[int]:
    return [at for at, b in enumerate(request.brokers) if b.rack == request.brokers[0].rack]


def _one_of_each_rack(request: PlacementRequest) -> list[int]:
    first: dict[str | None, int] = {}
    for at, broker in enumerate(request.brokers):
        first.setdefault(broker.rack, at)
    return list(first.values())


def _size(request: PlacementRequest) -> int:
    return len(request.brokers)


_FENCED: Final = (
    _fenced("only the first", lambda _: (0,)),
    _fenced("all but one", lambda r: range(1, _size(r))),
    _fenced("only the last", lambda r: (_size(r) - 1,)),
    _fenced("three in a row", lambda _: (1, 2, 3), 6),
    _fenced("every second", lambda r: range(0, _size(r), 2), 4),
    _fenced("all but the factor", lambda r: range(r.replication_factor, _size(r)), few=True),
    _fenced("fewer left than the factor", lambda r: range(r.replication_factor - 1, _size(r)), few=True),
    _fenced("all", lambda r: range(_size(r))),
    _fenced("none", lambda _: ()),
)
_FENCED_RACKS: Final = (
    _fenced("a whole rack", _of_first_rack, 4, racked=True),
    _fenced("one of each rack", _one_of_each_rack, 5, racked=True),
)


# New partitions for each broker


def _ratio(id_: str, of: Callable[[int], int]) -> RequestClass:
    """So many new partitions for a number of brokers."""

    def seen(request: PlacementRequest) -> bool:
        return len(request.brokers) > 2 and request.partitions == of(len(request.brokers))

    def widen(request: PlacementRequest, _: Source) -> PlacementRequest:
        request = with_brokers(request, 3)
        return replace(request, partitions=of(len(request.brokers)))

    return RequestClass(id_, widen, seen)


_RATIOS: Final = (
    _ratio("one more than brokers", lambda size: size + 1),
    _ratio("as many as brokers", lambda size: size),
    _ratio("one less than brokers", lambda size: size - 1),
    _ratio("10 for each broker", lambda size: 10 * size),
    _ratio("1", lambda _: 1),
    _ratio("all laps and one more", lambda size: min(size * (size - 1), 300) + 1),
)


# Existing partitions of a topic that grows


def _usable_factor(request: PlacementRequest) -> int:
    return max(1, min(request.replication_factor, len(request.brokers)))


def _existing(
    id_: str,
    rows: Callable[[PlacementRequest, int, Source], Rows],
    seen: Callable[[PlacementRequest], bool],
    factor: int = 1,
) -> RequestClass:
    """A topic with these rows, with at least this factor; as many as there are, or a few."""

    def widen(request: PlacementRequest, source: Source) -> PlacementRequest:
        request = with_brokers(request, 3)
        wanted = max(factor, _usable_factor(request))
        size = len(request.existing) or source.integer(3, 6)
        known = replace(request, replication_factor=wanted)
        return replace(known, existing=rows(known, size, source), fixed_start_index=-1)

    return RequestClass(id_, widen, lambda request: bool(request.existing) and seen(request))


def _all_alike(request: PlacementRequest, size: int, _: Source) -> Rows:
    return (tuple(ids_of(request)[: request.replication_factor]),) * max(size, 2)


def _uneven_rows(request: PlacementRequest, size: int, _: Source) -> Rows:
    """The first row has one replica more or less than the others: a topic that was reassigned in part."""
    ids, factor = ids_of(request), request.replication_factor
    other = factor - 1 if factor > 1 else factor + 1
    return (tuple(ids[:factor]), *rotated(ids, other, max(2, size) - 1))


def _left_rows(request: PlacementRequest, size: int, _: Source) -> Rows:
    """Rows with a broker that is no longer there."""
    gone = max(ids_of(request)) + 1
    return rotated([gone, *ids_of(request)], request.replication_factor, size)


_EXISTING: Final = (
    _existing(
        "all on the same brokers", _all_alike, lambda r: len(r.existing) > 1 and len({*r.existing}) == 1
    ),
    _existing(
        "in rotation",
        lambda r, size, _: rotated(ids_of(r), r.replication_factor, max(size, 2)),
        lambda r: (
            len(r.existing) > 1 and r.existing == rotated(ids_of(r), len(r.existing[0]), len(r.existing))
        ),
    ),
    _existing(
        "with a broker that is gone",
        _left_rows,
        lambda r: not {*ids_of(r)}.issuperset(broker for row in r.existing for broker in row),
    ),
    _existing("with different numbers of replicas", _uneven_rows, lambda r: len({*map(len, r.existing)}) > 1),
    _existing(
        "led by the last broker",
        lambda r, size, _: (tuple(ids_of(r)[::-1][: r.replication_factor]),) * size,
        lambda r: {row[0] for row in r.existing} == {r.brokers[-1].broker_id},
    ),
    _existing(
        "led by one and followed by all",
        lambda r, size, _: tuple(
            (ids_of(r)[0], ids_of(r)[1 + place % (len(r.brokers) - 1)]) for place in range(max(size, 2))
        ),
        lambda r: len({row[0] for row in r.existing}) == 1 < len({row[1:] for row in r.existing}),
        2,
    ),
)


# Where the rotation starts


def _start(id_: str, of: Callable[[int], int]) -> RequestClass:
    return RequestClass(
        id_,
        lambda request, _: replace(request, fixed_start_index=of(len(request.brokers))),
        lambda request: request.fixed_start_index == of(len(request.brokers)),
    )


_STARTS: Final = (
    _start("the last broker", lambda size: size - 1),
    _start("behind the last", lambda size: size),
    _start("the first broker", lambda _: 0),
    _start("1000", lambda _: 1000),
    _start("32768", lambda _: 32_768),
    _start("1000000", lambda _: 1_000_000),
)

# Placers

PLACER_SIZES: Final = (
    BROKERS,
    Size("new partitions", lambda request: request.partitions),
    Size("existing partitions", lambda request: len(request.existing)),
)
"""What a request to a placer can have very many of."""


def sized_request(source: Source, sizes: Mapping[str, int], *, racked: bool) -> PlacementRequest:
    """A request with these numbers of `PLACER_SIZES` things, and little else."""
    number = sizes.get("brokers", 3)
    hosts = hosts_of(number, source.integer(2, 3) if racked else 0)
    factor = source.integer(2, 3)
    existing = rotated([broker.broker_id for broker in hosts], factor, sizes.get("existing partitions", 0))
    return PlacementRequest(sizes.get("new partitions", 4), factor, hosts, existing)


def racked_request(source: Source) -> PlacementRequest:
    """A small request in which every broker is in one of two racks or more, for names of racks."""
    hosts = hosts_of(source.integer(4, 8), source.integer(2, 4))
    return PlacementRequest(source.integer(1, 12), source.integer(1, 3), hosts)


PLACER_RANGES: Final = (
    range_of("broker ids", BROKER_SOURCE, BROKER_IDS),
    range_of("racks", RACK_SOURCE, RACKS, NO_RACKS),
    range_of("replication factor", FACTOR_SOURCE, (*FACTORS, *_TOO_MANY)),
    range_of("fenced brokers", "UsableBroker.fenced", _FENCED),
    range_of("fenced brokers and racks", "UsableBroker.fenced", _FENCED_RACKS, NO_RACKS),
    range_of("existing partitions of a topic", "ReplicationControlManager.createPartitions", _EXISTING),
    range_of("new partitions for brokers", "CreatableTopic.numPartitions", _RATIOS),
    range_of("replication factor and racks", FACTOR_SOURCE, RACK_FACTORS, NO_RACKS),
    range_of("brokers without a rack", RACK_SOURCE, PARTIAL, NO_RACKS),
    range_of("start index", "AdminUtils.assignReplicasToBrokers", _STARTS),
)
"""What a request to a placer can have at the ends of what is legal, with Kafka's class that has the limit."""

"""Wide requests to planners: very many brokers, topics and partitions, and rows over what is legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from kassay.model.cluster import TopicPartition
from kassay.model.placement.plan import PlanRequest
from kassay.properties.placement.wide_brokers import (
    BROKER_IDS,
    BROKER_SOURCE,
    BROKERS,
    FACTOR_SOURCE,
    FACTORS,
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
    rows_of,
    smallest_gap,
    with_brokers,
    with_factor,
    with_rows,
)
from kassay.properties.sources import Source
from kassay.properties.wide.ranges import Size


def _of_first_topic(request: PlanRequest) -> int:
    first = request.before[0][0].topic
    return sum(tp.topic == first for tp, _ in request.before)


PLANNER_SIZES: Final = (
    replace(BROKERS, most=257, why="the certified best of more brokers takes seconds"),
    Size("topics", lambda request: len({tp.topic for tp, _ in request.before})),
    Size("partitions", _of_first_topic),
)
"""What a request to a planner can have very many of; partitions are those of the first topic."""


def sized_plan(source: Source, sizes: Mapping[str, int], named: frozenset[str]) -> PlanRequest:
    """A request with these numbers of `PLANNER_SIZES` things, and little else; the broker 0 leaves.

    Where topics or racks are `named`, there are several of them.
    """
    number = sizes.get("brokers", 3)
    racked = "rack" in named or source.boolean()
    racks = source.integer(2, 3) if racked else 0
    hosts = hosts_of(number + 1, racks)
    topics = sizes.get("topics", 4 if "topic" in named else 1)
    parts = [TopicPartition("t0", place) for place in range(sizes.get("partitions", 2))]
    parts += [TopicPartition(f"t{place}", 0) for place in range(1, topics)]
    rows = rotated([broker.broker_id for broker in hosts[:4]], 2, len(parts))
    return PlanRequest(hosts[1:], tuple(zip(parts, rows, strict=True)), 2)


def named_plan(source: Source, *, racked: bool) -> PlanRequest:
    """A small request with several topics, and racks if wanted, for names of both; the broker 0 leaves."""
    hosts = hosts_of(source.integer(4, 6), source.integer(2, 3) if racked else 0)
    topics = source.integer(2, 5)
    parts = [TopicPartition(f"t{place % topics}", place // topics) for place in range(topics + 2)]
    rows = rotated(range(len(hosts) - source.integer(0, 1)), source.integer(1, 2), len(parts))
    return PlanRequest(hosts[1:], tuple(zip(parts, rows, strict=True)), len(rows[0]))


def _leaving(id_: str, of: Callable[[PlanRequest], int]) -> RequestClass:
    """So many brokers with replicas are not among those that stay."""

    def widen(request: PlanRequest, source: Source) -> PlanRequest:
        request = with_brokers(request, 3)
        factor, own = request.replication_factor, ids_of(request)
        number, start = of(request), 1 + max((*own, *(b for row in rows_of(request) for b in row)))
        gone = range(start, start + number)
        pool = [*gone, *own] if number < factor else [*gone, *own[: source.integer(0, len(own))]]
        size = max(len(request.before), number)
        return with_rows(request, rotated(pool, factor, size))

    def seen(request: PlanRequest) -> bool:
        return len(_gone(request)) == of(request) and len(request.brokers) > 2

    return RequestClass(id_, widen, seen)


def _gone(request: PlanRequest) -> set[int]:
    return {broker for row in rows_of(request) for broker in row}.difference(ids_of(request))


def _joining(id_: str, of: Callable[[int], int]) -> RequestClass:
    """So many of the brokers hold nothing yet."""

    def widen(request: PlanRequest, _: Source) -> PlanRequest:
        factor = min(request.replication_factor, 2)
        request = with_factor(with_brokers(request, 2 * factor + 2), factor)
        own = ids_of(request)
        holders = own[: len(own) - of(len(own))]
        return with_rows(request, rotated(holders, factor, max(len(request.before), len(holders))))

    def seen(request: PlanRequest) -> bool:
        held = {broker for row in rows_of(request) for broker in row}
        return len({*ids_of(request)} - held) == of(len(request.brokers)) and len(request.brokers) > 3

    return RequestClass(id_, widen, seen)


def _rowed(
    id_: str, rows: Callable[[PlanRequest, int], Rows], seen: Callable[[PlanRequest], bool], least: int = 2
) -> RequestClass:
    """Rows of this form, at least so many."""

    def widen(request: PlanRequest, _: Source) -> PlanRequest:
        request = with_brokers(request, 4)
        request = with_factor(request, min(request.replication_factor, 3))
        return with_rows(request, rows(request, max(least, len(request.before))))

    return RequestClass(id_, widen, lambda request: len(request.before) >= least and seen(request))


def _in_one_rack(request: PlanRequest, size: int) -> Rows:
    """Rows that all lie in the fullest rack, as far as it has brokers."""
    fullest = Counter(b.rack for b in request.brokers).most_common(1)[0][0]
    ids = [b.broker_id for b in sorted(request.brokers, key=lambda b: b.rack != fullest)]
    return (tuple(ids[: request.replication_factor]),) * size


def _shares_rack(request: PlanRequest) -> bool:
    racks = {broker.broker_id: broker.rack for broker in request.brokers}
    return rack_count(request) > 1 and any(
        len(row) > 1 and len({racks.get(broker, broker) for broker in row}) == 1 for row in rows_of(request)
    )


def _crowded(request: PlanRequest, source: Source) -> PlanRequest:
    """Two brokers in each of two racks, and every row in one: a broker was moved to another rack."""
    racked: PlanRequest = in_turn(2).widen(with_brokers(request, 4), source)
    wide = replace(racked, replication_factor=2)
    return with_rows(wide, _in_one_rack(wide, max(2, len(wide.before))))


def _numbers(id_: str, of: Callable[[int, int], int], seen: Callable[[list[int]], bool]) -> RequestClass:
    """The partitions of each topic have other numbers: `of(place, size)`."""

    def widen(request: PlanRequest, _: Source) -> PlanRequest:
        while len(request.before) < 3:
            request = with_rows(request, [*rows_of(request), rows_of(request)[0]])
        sizes = Counter(tp.topic for tp, _ in request.before)
        places: Counter[str] = Counter()
        before = []
        for tp, row in request.before:
            before.append((TopicPartition(tp.topic, of(places[tp.topic], sizes[tp.topic])), row))
            places[tp.topic] += 1
        return replace(request, before=tuple(before))

    def shown(request: PlanRequest) -> bool:
        topics = {tp.topic for tp, _ in request.before}
        return any(seen([tp.partition for tp, _ in request.before if tp.topic == topic]) for topic in topics)

    return RequestClass(id_, widen, shown)


_ROWS: Final = (
    _rowed(
        "identical rows",
        lambda r, n: rotated(ids_of(r), r.replication_factor, 1) * n,
        lambda r: len({*rows_of(r)}) == 1,
    ),
    _rowed(
        "in rotation",
        lambda r, n: rotated(ids_of(r), r.replication_factor, n),
        lambda r: len({row[0] for row in rows_of(r)}) >= min(len(r.brokers), len(r.before)),
    ),
    _rowed(
        "led by one",
        lambda r, n: tuple(
            (ids_of(r)[0], *rotated(ids_of(r)[1:], r.replication_factor - 1, n)[at]) for at in range(n)
        ),
        lambda r: len({row[0] for row in rows_of(r)}) == 1,
    ),
)
PLANNER_RANGES: Final = (
    range_of("broker ids", BROKER_SOURCE, BROKER_IDS),
    range_of("racks", RACK_SOURCE, RACKS),
    range_of("replication factor", FACTOR_SOURCE, FACTORS),
    range_of(
        "brokers that leave",
        "UnregisterBrokerRequest, KIP-455",
        (
            _leaving("1", lambda _: 1),
            _leaving("2", lambda _: 2),
            _leaving("as many as replicas", lambda r: r.replication_factor),
            _leaving("none", lambda _: 0),
            _leaving("as many as stay", lambda r: len(r.brokers)),
            _leaving("10", lambda _: 10),
        ),
    ),
    range_of(
        "brokers that hold nothing",
        "BrokerRegistrationRequest",
        (
            _joining("1", lambda _: 1),
            _joining("half", lambda size: size // 2),
            _joining("2", lambda _: 2),
            _joining("none", lambda _: 0),
        ),
    ),
    range_of("rows", "PartitionRegistration.replicas", _ROWS),
    range_of(
        "rows and racks",
        "PartitionRegistration.replicas",
        (RequestClass("in one rack", _crowded, _shares_rack), *RACK_FACTORS),
    ),
    range_of(
        "partition numbers",
        "ReassignablePartition.partitionIndex",
        (
            _numbers("255 and 256", lambda at, _: 255 + at, lambda own: {255, 256}.issubset(own)),
            _numbers(
                "descending",
                lambda at, size: size - 1 - at,
                lambda own: own == sorted(own)[::-1] and len(own) > 1,
            ),
            _numbers("holes", lambda at, _: 3 * at, lambda own: len(own) > 1 and smallest_gap(own) > 1),
            _numbers("9 and 10", lambda at, _: 9 + at, lambda own: {9, 10}.issubset(own)),
            _numbers(
                "32767 and 32768", lambda at, _: 32_767 + at, lambda own: {32_767, 32_768}.issubset(own)
            ),
        ),
    ),
)
"""What a request to a planner can have at the ends of what is legal, with the class that limits it."""

"""A case of a placer, and small requests to placers and planners.

A case of a placer: a request, and the seed of its random numbers.

Small requests to placers and planners: every way to put brokers in racks, and the smallest requests.

Racks are distinguished by the order of their first brokers: other names in that order are equivalent. The
smallest requests restart shrinking where a request cannot be cut further; they share features with the
request: the number of racks, fenced brokers, ids in another order. The smallest come first, by brokers and
then by partitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice, permutations, product
from typing import Final, NamedTuple

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.documents import PLACEMENT_REQUEST
from kassay.model.placement.plan import PlanRequest
from kassay.model.placement.request import PlacementRequest
from kassay.model.shape import codec


class PlacementCase(NamedTuple):
    """A request, and the seed of its random numbers."""

    request: PlacementRequest
    seed: int


CASE = codec.record(PlacementCase, request=PLACEMENT_REQUEST, seed=codec.Field(codec.WHOLE, 0))


def groupings(members: int) -> Iterator[tuple[int, ...]]:
    """The ways to split items into groups; groups are numbered in the order of their first items.

    >>> list(groupings(3))
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    if members == 1:
        yield (0,)
        return
    for before in groupings(members - 1):
        for group in range(max(before) + 2):
            yield (*before, group)


def rack_sizes(brokers: int) -> list[tuple[int, ...]]:
    """The ways to split brokers into racks, by size: the most even first, then large racks first.

    >>> rack_sizes(4)
    [(1, 1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (2, 2), (3, 1), (1, 3), (4,)]
    """
    return sorted(_sums(brokers), key=lambda sizes: (sorted(sizes, reverse=True), [-size for size in sizes]))


def racks_of(brokers: int, *, runs: bool) -> Iterator[tuple[int, ...]]:
    """The rack of each broker, in every way; with `runs` only those where each rack's brokers are neighbours.

    >>> list(racks_of(3, runs=False))
    [(0, 1, 2), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 0, 0)]
    >>> list(racks_of(3, runs=True))
    [(0, 1, 2), (0, 0, 1), (0, 1, 1), (0, 0, 0)]
    """
    for sizes in rack_sizes(brokers):
        yield from islice(_fill_racks((), sizes), 1 if runs else None)


def _sums(total: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a sum of positive ones, in every order."""
    if total == 0:
        yield ()
    for first in range(1, total + 1):
        for rest in _sums(total - first):
            yield (first, *rest)


def _fill_racks(before: tuple[int, ...], left: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The completions of these racks where each has so much room left, the lowest rack first."""
    if not any(left):
        yield before
    opened = max(before, default=-1) + 1
    for rack, room in enumerate(left[: opened + 1]):
        if room:
            yield from _fill_racks((*before, rack), (*left[:rack], room - 1, *left[rack + 1 :]))


BROKERS_MAX: Final = 4
PARTITIONS_MAX: Final = 4
RACKS_MAX: Final = 2
"""Larger requests are only cut."""


def fresh_requests(request: PlacementRequest) -> Iterator[PlacementRequest]:
    """Requests to a placer with at most as many brokers and partitions, each from every start."""
    ids = [broker.broker_id for broker in request.brokers]
    orders = (1,) if ids == sorted(ids) else (1, -1)
    fenced = any(broker.fenced for broker in request.brokers)
    beyond = request.replication_factor > len(ids)
    sizes = product(
        range(1, min(len(ids), BROKERS_MAX) + 1), range(1, min(request.partitions, PARTITIONS_MAX) + 1)
    )
    for count, partitions in sizes:
        factors = range(1, count + 1 + beyond)
        for factor, racks, gone in product(factors, _racks(count, request.brokers), _fenced(count, fenced)):
            brokers = tuple(Broker(i, racks[i], i in gone) for i in range(count))
            rows = ((), (tuple(range(factor)),)) if factor <= count else ((),)
            for existing in rows:
                for start, order in product(range(-1, count), orders):
                    yield PlacementRequest(
                        partitions, factor, brokers[::order], existing, fixed_start_index=start
                    )


def fresh_plan_requests(request: PlanRequest) -> Iterator[PlanRequest]:
    """Requests to a planner of one or two partitions, placed anywhere before, also on a leaving broker."""
    for partitions in range(1, min(len(request.before), 2) + 1):
        for factor, count in product(
            range(1, request.replication_factor + 1), range(1, min(len(request.brokers), BROKERS_MAX) + 1)
        ):
            if factor > count:
                continue
            rows = list(permutations(range(count + 1), factor))
            for racks, before in product(_racks(count, request.brokers), product(rows, repeat=partitions)):
                yield _plan_request(factor, racks, before)


def plan_cell(count: int, partitions: int, racks: bool) -> Iterator[PlanRequest]:
    """Every request with these counts of brokers and partitions, placed on the brokers and a leaving one."""
    placed: list[tuple[str | None, ...]] = [(None,) * count]
    placed += [tuple(f"r{i}" for i in groups) for groups in groupings(count)] if racks else []
    for names, factor in product(placed, range(1, count + 1)):
        for before in product(permutations(range(count + 1), factor), repeat=partitions):
            yield _plan_request(factor, names, before)


def _plan_request(
    factor: int, racks: tuple[str | None, ...], before: tuple[tuple[int, ...], ...]
) -> PlanRequest:
    brokers = tuple(Broker(i, rack) for i, rack in enumerate(racks))
    rows = tuple((TopicPartition("t0", i), row) for i, row in enumerate(before))
    return PlanRequest(brokers, rows, factor)


def _racks(count: int, like: Sequence[Broker]) -> list[tuple[str | None, ...]]:
    """The racks of `count` brokers, plainer ones first: some brokers have none where that is so in `like`."""
    names = {broker.rack for broker in like}
    if names == {None}:
        names = {None, *(f"rack{i}" for i in range(RACKS_MAX))}
    partial: tuple[str | None, ...] = (None,) if None in names else ()
    named = [f"rack{i}" for i in range(min(count, len(names - {None})))]
    every = product((*partial, *named), repeat=count)
    return sorted(every, key=lambda racks: (len(set(racks)), [str(rack) for rack in racks]))


def _fenced(count: int, some: bool) -> list[tuple[int, ...]]:
    """The fenced ones of `count` brokers: none, or any but not all."""
    most = count - 1 if some else 0
    return [gone for size in range(most + 1) for gone in combinations(range(count), size)]


PLACERS_LEAVE_OUT: Final = (
    "existing partitions",
    "fenced brokers",
    "brokers without a rack among others",
    "more replicas than brokers",
    "starts drawn at random",
    "other ids and orders of brokers",
)
"""What no scope of a placer has."""
PLANNERS_LEAVE_OUT: Final = (
    "fenced brokers",
    "brokers without a rack among others",
    "more than 1 topic",
    "more than 1 removed broker",
    "changed numbers of replicas",
    "other ids and orders of brokers",
)
"""What no scope of a planner has."""


def placer_cell(
    count: int, partitions: int, racks: bool = True, alike_by_rack: bool = False
) -> Iterator[tuple[PlacementRequest, int]]:
    """Every request for so many new partitions on so many brokers, each with the seed of its random numbers.

    No racks, then all racks, the evenest first; all replication factors, each from every start.
    """
    layouts = racks_of(count, runs=alike_by_rack) if racks else ()
    for placed in chain((None,), layouts):
        brokers = tuple(Broker(i, None if placed is None else f"r{placed[i]}") for i in range(count))
        for factor, start in product(range(1, count + 1), range(count)):
            yield PlacementRequest(partitions, factor, brokers, fixed_start_index=start), start

"""The ways to put brokers in racks, the evenest first, each rack called by the number of its turn.

Racks are told apart by the order in which their first brokers come: other names in that order are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice


def groupings(members: int) -> Iterator[tuple[int, ...]]:
    """The ways to put so many into groups, a group's number being that of its first member among first ones.

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
    """How many of so many brokers each rack has: the evenest first, of those alike the large racks first.

    >>> rack_sizes(4)
    [(1, 1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (2, 2), (3, 1), (1, 3), (4,)]
    """
    return sorted(_sums(brokers), key=lambda sizes: (sorted(sizes, reverse=True), [-size for size in sizes]))


def racks_of(brokers: int, *, runs: bool) -> Iterator[tuple[int, ...]]:
    """The rack of each broker, in every way; with `runs` only those in which a rack's are neighbours.

    >>> list(racks_of(3, runs=False))
    [(0, 1, 2), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 0, 0)]
    >>> list(racks_of(3, runs=True))
    [(0, 1, 2), (0, 0, 1), (0, 1, 1), (0, 0, 0)]
    """
    for sizes in rack_sizes(brokers):
        yield from islice(_dealt((), sizes), 1 if runs else None)


def _sums(total: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a sum of positive ones, whose order counts."""
    if total == 0:
        yield ()
    for first in range(1, total + 1):
        for rest in _sums(total - first):
            yield (first, *rest)


def _dealt(before: tuple[int, ...], left: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The ways to go on from these racks where each has so much room left, the lowest rack first."""
    if not any(left):
        yield before
    opened = max(before, default=-1) + 1
    for rack, room in enumerate(left[: opened + 1]):
        if room:
            yield from _dealt((*before, rack), (*left[:rack], room - 1, *left[rack + 1 :]))

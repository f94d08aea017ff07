"""Smaller tuples and cases for a shrinker, in the order in which it should try them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

T = TypeVar("T")

ONES_MAX: Final = 1000
TWO_MAX: Final = 3000
"""Ways to remove two things at once that are tried on one case."""


def one_or_two(case: T, candidates: Callable[[T], Iterable[T]]) -> Iterator[T]:
    """The candidates of the case; then their candidates, as some things can only be removed together.

    Three connectors on two workers may break what neither two on two nor three on one break, but one on one
    does. Of a case with more than `ONES_MAX` candidates, no two are removed: `TWO_MAX` ways are too few.
    """
    ones: list[T] = []
    for one in candidates(case):
        if len(ones) <= ONES_MAX:
            ones.append(one)
        yield one
    if len(ones) > ONES_MAX:
        return
    yield from islice((two for one in ones for two in candidates(one)), TWO_MAX)


def without_runs(items: tuple[T, ...], width: int) -> Iterator[tuple[T, ...]]:
    """The tuple without each run of the given width, then of half the width, down to single items."""
    while width:
        for start in range(0, len(items), width):
            yield items[:start] + items[start + width :]
        width //= 2


def without_one(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """The tuple without each item."""
    return without_runs(items, 1)


def with_one(items: tuple[T, ...], smaller: Callable[[T], Iterable[T]]) -> Iterator[tuple[T, ...]]:
    """The tuple with each item replaced by each of its `smaller` ones."""
    for i, item in enumerate(items):
        for less in smaller(item):
            yield (*items[:i], less, *items[i + 1 :])


def compositions(total: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a sum, in every order.

    >>> list(compositions(3))
    [(3,), (2, 1), (1, 2), (1, 1, 1)]
    """
    if total == 0:
        yield ()
    for first in range(total, 0, -1):
        for rest in compositions(total - first):
            yield (first, *rest)

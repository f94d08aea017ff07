"""Smaller tuples to try in place of one, in the order in which a shrinker should try them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def without_runs(items: tuple[T, ...], width: int) -> Iterator[tuple[T, ...]]:
    """Without each run of so many items, of half as many, and so on to single ones."""
    while width:
        for start in range(0, len(items), width):
            yield items[:start] + items[start + width :]
        width //= 2


def without_one(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """Without each item."""
    return without_runs(items, 1)


def with_one(items: tuple[T, ...], smaller: Callable[[T], Iterable[T]]) -> Iterator[tuple[T, ...]]:
    """With each item's `smaller` ones in its place."""
    for i, item in enumerate(items):
        for less in smaller(item):
            yield (*items[:i], less, *items[i + 1 :])

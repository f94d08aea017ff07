"""Wide sizes and numbers: counts on both sides of a boundary, and numbers up to the end of their type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from kassay.properties.sources import Source

SMALL_COUNTS: Final = (9, 11, 13, 17, 8, 10, 12, 16)
"""Counts that all sizes of a case can have at once: both sides of 8, 10, 12 and 16."""
LARGE_COUNTS: Final = (129, 1025, 65, 257, 101, 64, 100, 127, 128, 255, 256, 1000)
"""Counts that one size of a case has while all others are minimal, the most telling first."""

PLAIN_NAMES: Final = "plain-names"
SMALL_SIZES: Final = "small-sizes"
PLAIN_NUMBERS: Final = "plain-numbers"
WIDTHS: Final = (PLAIN_NAMES, PLAIN_NUMBERS, SMALL_SIZES)
"""The assumptions that exclude wide names, numbers and sizes, for every kind."""


@dataclass(frozen=True)
class Size:
    """Something that a case has a number of.

    `id` is what is counted, in the plural. `most` is the largest count that is made and `why` the reason for
    it where it is below 1,025. `count` returns the number in a case. `excluded_by` are assumptions.
    """

    id: str
    count: Callable[[Any], int]
    most: int = LARGE_COUNTS[1]
    why: str = ""
    excluded_by: frozenset[str] = frozenset()

    @property
    def small(self) -> tuple[int, ...]:
        """The counts that can be combined with others."""
        return tuple(number for number in SMALL_COUNTS if number <= self.most)

    @property
    def large(self) -> tuple[int, ...]:
        """The counts that stand alone."""
        return tuple(number for number in LARGE_COUNTS if number <= self.most)


@dataclass(frozen=True)
class WideRange:
    """A number, or another property, that a case can have at the ends of what is legal.

    `classes` name the values. `widen` changes a case so that it has one of them, `seen` says whether a case
    has it. `source` names the class of Kafka that has the range, `excluded_by` are assumptions. `names` are
    the spaces whose names the values are about, so that they have no other class in the same case.
    No wide size comes with a range that stands `apart`: claims about equal subscriptions, which its values
    exclude, would miss that size.
    """

    id: str
    classes: tuple[str, ...]
    widen: Callable[[Any, str, Source], Any]
    seen: Callable[[Any, str], bool]
    source: str
    excluded_by: frozenset[str] = field(default=frozenset())
    names: tuple[str, ...] = ()
    apart: bool = False

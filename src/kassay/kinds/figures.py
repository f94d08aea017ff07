"""What a rule does in numbers, next to the rules that users know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Growth:
    """What each member has once so many topics of four partitions are read, and how far apart they are."""

    topics: int
    loads: tuple[int, ...]
    spread: int
    others: Mapping[str, int]


@dataclass(frozen=True)
class Leaving:
    """What moves by each rule when the second of three members leaves.

    `needed` are the partitions that it leaves behind, `moved` all that have another owner afterwards.
    """

    topics: int
    partitions: int
    needed: Mapping[str, int]
    moved: Mapping[str, int]


class RuleFigures(NamedTuple):
    """The figures of a rule; empty where its kind has none."""

    growth: tuple[Growth, ...] = ()
    leaving: tuple[Leaving, ...] = ()

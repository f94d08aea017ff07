"""Figures of a rule, next to those of the rules that users know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Growth:
    """The load of each member, for a number of topics with four partitions, and the spread of the loads."""

    topics: int
    loads: tuple[int, ...]
    spread: int
    others: Mapping[str, int]


@dataclass(frozen=True)
class Leaving:
    """What each rule moves when the second of three members leaves.

    `needed` are the partitions of the member that leaves, `moved` all partitions whose owner changes.
    """

    topics: int
    partitions: int
    needed: Mapping[str, int]
    moved: Mapping[str, int]


class RuleFigures(NamedTuple):
    """The figures of a rule; empty where its kind has none."""

    growth: tuple[Growth, ...] = ()
    leaving: tuple[Leaving, ...] = ()

"""What one outcome of a target shows next to the certified best.

Movement is judged only where the loads are optimal, rack locality only where the moves are the fewest as
well: the goals are lexicographic.
"""

from __future__ import annotations

from typing import NamedTuple

from kassay.solver.gap import AnyOptimum, AnyProblem, Gap


class Measure(NamedTuple):
    """One outcome beside the best: `members` and the `units` that they share, and the gaps.

    `equal`: every member may have every unit. `movement` and `rack` are None where they are not judged.
    """

    members: int
    units: int
    equal: bool
    balance: int
    spread: int
    moved: int
    moved_least: int
    movement: int | None = None
    rack: int | None = None


class MeasuredRest(NamedTuple):
    """What followed a change: its outcomes, None for one that is no answer, and the rounds to rest.

    `rounds` is None where there was no rest.
    """

    measures: list[Measure | None]
    rounds: int | None


def measure_of(gap: Gap[AnyProblem, AnyOptimum], equal: bool) -> Measure | None:
    """A gap as a measure; None where some unit was left out."""
    if gap.balance is None or gap.spread is None:
        return None
    members, units = len(gap.best.loads), sum(gap.best.loads)
    return Measure(members, units, equal, gap.balance, gap.spread, gap.moved, gap.best.moved, gap.movement)

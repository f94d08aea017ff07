"""One outcome of a target, compared with the certified best.

Movement is judged only where the loads are optimal, rack locality only where the moves are the fewest as
well: the goals are lexicographic.
"""

from __future__ import annotations

from typing import NamedTuple

from kassay.solver.results import AnyOptimum, AnyProblem, Gap


class Measure(NamedTuple):
    """One outcome compared with the best: `members`, the `units` that they share, and the gaps.

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
    """What followed a change: its outcomes, None where there is no answer, and the rounds until stable.

    `rounds` is None where it never became stable.
    """

    measures: list[Measure | None]
    rounds: int | None


def measure_of(gap: Gap[AnyProblem, AnyOptimum], equal: bool) -> Measure | None:
    """A gap as a measure; None where some unit is unassigned."""
    if gap.balance is None or gap.spread is None:
        return None
    members, units = len(gap.best.loads), sum(gap.best.loads)
    return Measure(members, units, equal, gap.balance, gap.spread, gap.moved, gap.best.moved, gap.movement)

"""Faulty task assignors by member: the certified optimum with one fault."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Final

from kassay.assignors.streams.optimal import OptimalStreams
from kassay.kinds import controls
from kassay.model.streams.kinds import STREAMS

if TYPE_CHECKING:
    from kassay.solver.streams.members import Standbys
    from kassay.solver.streams.problem import MemberTaskProblem

control = partial(controls.control, kinds=STREAMS)

KEPT: Final = (
    *("standby-disjoint", "standby-count", "task-errors", "stateful-balanced"),
    *("stable", "converges", "fixed-point"),
)
"""The claims that the optimum keeps; each control keeps all but the one it breaks."""


@control("swaps-what-was-lost", breaks="sticky-by-member", keeps=(*KEPT, "sticky-standbys"))
class SwapsWhatWasLost(OptimalStreams):
    """Swaps two unowned tasks, so that each goes where the state of the other one is."""

    def placed(self, problem: MemberTaskProblem, best: Sequence[int]) -> Sequence[int]:
        """Two members swapped, if one of them had the state of its task and loses it."""
        lost = [t for t in range(problem.tasks) if problem.active[t] is None and problem.state(t)]
        for one, other in combinations(lost, 2):
            here, there = (problem.process_of[best[task]] for task in (one, other))
            held = (here in problem.state(one)) + (there in problem.state(other))
            swapped = (there in problem.state(one)) + (here in problem.state(other))
            if swapped < held:
                placed = list(best)
                placed[one], placed[other] = best[other], best[one]
                return placed
        return best


@control("swaps-copies", breaks="sticky-standbys", keeps=(*KEPT, "sticky-by-member"))
class SwapsCopies(OptimalStreams):
    """Where a task is run that was not run there, two tasks have copies where the other's should be."""

    def copied(self, problem: MemberTaskProblem, active: Sequence[int], best: Standbys) -> Standbys:
        """Two processes swapped, if that restores more; their members take copies in task order."""
        home = problem.process_of
        changes = any(
            best[task] and (old is None or home[old] != home[active[task]])
            for task, old in enumerate(problem.active)
        )
        rows = [sorted(home[member] for member in row) for row in best]
        kept = [(task, place) for task, row in enumerate(rows) for place in row]
        for (one, here), (other, there) in combinations(kept if changes else (), 2):
            held = (here in problem.state(one)) + (there in problem.state(other))
            swapped = (there in problem.state(one)) + (here in problem.state(other))
            if swapped < held and all(
                new not in {home[active[task]], *rows[task]} for task, new in ((one, there), (other, here))
            ):
                turn = [
                    iter([m for row in best for m in row if home[m] == p])
                    for p in range(len(problem.processes))
                ]
                rows[one][rows[one].index(here)], rows[other][rows[other].index(there)] = there, here
                return tuple(tuple(next(turn[p]) for p in sorted(row)) for row in rows)
        return best

"""Faulty task assignors by member: the certified optimum, and something done otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Final

from kassay.assignors.optimal.streams import OptimalStreams
from kassay.certify.faulty import registry
from kassay.model.kinds import Kind
from kassay.solver.streams.members.problem import MemberTaskProblem
from kassay.solver.streams.members.standbys import Standbys

control = partial(registry.control, kinds=Kind.STREAMS)

KEPT: Final = (
    *("standby-disjoint", "standby-count", "task-errors", "stateful-balanced"),
    *("stable", "converges", "fixed-point"),
)
"""What the optimum keeps, and each control but what it breaks."""


@control("swaps-what-was-lost", breaks="sticky-by-member", keeps=(*KEPT, "sticky-standbys"))
class SwapsWhatWasLost(OptimalStreams):
    """Of the tasks that nobody runs, two go where the other one's state is."""

    def placed(self, problem: MemberTaskProblem, best: Sequence[int]) -> Sequence[int]:
        """Two members swapped, if one of them had the state for its task and will not have it."""
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
    """Of the tasks that nobody ran where they run now, two have copies where the other's should be."""

    def copied(self, problem: MemberTaskProblem, active: Sequence[int], best: Standbys) -> Standbys:
        """Two standbys swapped, if that restores one more; each stays clear of its task's other copies."""
        home = problem.process_of
        fresh = [
            task
            for task, old in enumerate(problem.active)
            if best[task] and (old is None or home[old] != home[active[task]])
        ]
        for one, other in combinations(fresh, 2):
            here, there = best[one][0], best[other][0]
            held = (home[here] in problem.state(one)) + (home[there] in problem.state(other))
            swapped = (home[there] in problem.state(one)) + (home[here] in problem.state(other))
            clear = home[there] not in {home[m] for m in (active[one], *best[one])}
            if (
                swapped < held
                and clear
                and home[here] not in {home[m] for m in (active[other], *best[other])}
            ):
                rows = list(best)
                rows[one], rows[other] = (there, *best[one][1:]), (here, *best[other][1:])
                return tuple(rows)
        return best

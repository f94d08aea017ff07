"""Standby copies for given active tasks: all copies balanced by member, then the fewest restores.

Each task with state picks a number of other processes, at cost 1 where its state is missing; a process pays
for its copies the costs of its members with the fewest. So the picks are one exchange
(`algorithms.exchange`), exact and proven by a price for each process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heapreplace

from kassay.solver.algorithms.exchange import cheapest
from kassay.solver.streams.members.problem import MemberTaskProblem

Standbys = tuple[tuple[int, ...], ...]
"""The members with a standby copy of each task."""


def place_standbys(
    problem: MemberTaskProblem, active: Sequence[int], deadline: float | None = None
) -> tuple[Standbys, tuple[int, ...]]:
    """The members of the standbys of each task, and the value of a copy at each process.

    After the deadline the standbys are still valid, but the prices may prove nothing.
    """
    return _placed(problem, active, deadline)


def dearest_standbys(problem: MemberTaskProblem, active: Sequence[int]) -> Standbys:
    """Of all optimally balanced standbys those with the most restores."""
    return _placed(problem, active, None, dearest=True)[0]


def _placed(
    problem: MemberTaskProblem, active: Sequence[int], deadline: float | None, *, dearest: bool = False
) -> tuple[Standbys, tuple[int, ...]]:
    if not problem.following or not problem.stateful:
        return ((),) * problem.tasks, (0,) * len(problem.processes)
    stateful = [task for task in range(problem.tasks) if task not in problem.stateless]
    places = range(len(problem.processes))
    rows = [
        {
            p: int((p in problem.state(task)) is dearest)
            for p in places
            if p != problem.process_of[active[task]]
        }
        for task in stateful
    ]
    steps = _Steps(problem, active)
    graph = cheapest(len(places), rows, problem.following, steps.marginal, deadline)
    standbys: list[tuple[int, ...]] = [()] * problem.tasks
    turn = [iter(steps.takers(p, graph.counts[p])) for p in places]
    for task, picked in zip(stateful, graph.picks, strict=True):
        standbys[task] = tuple(next(turn[p]) for p in sorted(picked))
    return tuple(standbys), graph.prices(steps.marginal)


class _Steps:
    """The cost of each further copy at a process: its member with the fewest copies takes it."""

    def __init__(self, problem: MemberTaskProblem, active: Sequence[int]) -> None:
        self.weight = problem.stateful * problem.following + 1
        counts = Counter(active)
        self._heaps = [[(counts[m], m) for m in members] for members in problem.members_of]
        for heap in self._heaps:
            heapify(heap)
        self._taken: list[list[tuple[int, int]]] = [[] for _ in self._heaps]

    def marginal(self, process: int, count: int) -> int:
        """The cost of the next copy at a process with `count` copies."""
        held, _ = self._next(process, count)
        return self.weight * (2 * held + 1)

    def takers(self, process: int, count: int) -> list[int]:
        """The members that take this number of copies."""
        return [self._next(process, number)[1] for number in range(count)]

    def _next(self, process: int, number: int) -> tuple[int, int]:
        taken, heap = self._taken[process], self._heaps[process]
        while len(taken) <= number:
            held, member = heap[0]
            taken.append((held, member))
            heapreplace(heap, (held + 1, member))
        return taken[number]

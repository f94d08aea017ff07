"""The distance of a task assignor's answer from the certified optimum of active tasks.

*balance* is the sum of the squares of members' active tasks above the least possible, those with state and
all: 0 exactly where both are even. *spread* is the largest count less the smallest, less the optimum's, in
the worse of the two. *movement*, the cost of restores (3 each) and changes of process (1 each) above the
least, is judged where the balance is met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from kassay.model.errors import InputError
from kassay.model.streams.tasks import TaskAssignment, TaskId, TaskRequest
from kassay.solver.gap import Gap, Least
from kassay.solver.streams.members.actives import PlacedActives, place_actives
from kassay.solver.streams.members.problem import MemberTaskProblem
from kassay.solver.streams.optimum import CHANGE, RESTORE

MemberGap = Gap[MemberTaskProblem, Least]
"""Of `loads`, members' active tasks; `moved` is the cost of restores and changes of process."""


def member_gap(
    problem: MemberTaskProblem, runs: Sequence[int | None], optimum: PlacedActives | None = None
) -> MemberGap:
    """The distance of an answer (the member of each task, if any) to the optimum, computed if not given."""
    optimum = optimum or place_actives(problem)
    loads = _loads(problem, runs)
    least = Least(tuple(sorted(_loads(problem, optimum.member)[1])), cost(problem, optimum.member))
    answer = MemberGap(
        problem=problem,
        best=least,
        loads=tuple(sorted(loads[1])),
        moved=cost(problem, runs),
        missing=sum(member is None for member in runs),
    )
    if answer.missing:
        return answer
    balance, spread = sum(map(_above_even, loads)), max(map(_further_apart, loads))
    movement = answer.moved - least.moved if balance == 0 else None
    return replace(answer, balance=balance, spread=spread, movement=movement)


def cost(problem: MemberTaskProblem, runs: Sequence[int | None]) -> int:
    """The cost of running the tasks on these members: 3 a restore, 1 a change of process."""
    total = 0
    for task, member in enumerate(runs):
        if member is None or task in problem.stateless:
            continue
        place, old = problem.process_of[member], problem.active[task]
        total += RESTORE * (place not in problem.state(task))
        total += CHANGE * (old is not None and problem.process_of[old] != place)
    return total


def runs_of(problem: MemberTaskProblem, request: TaskRequest, answer: TaskAssignment) -> list[int | None]:
    """The member of each task of the request's problem, None for one that no member runs.

    Where the answer names no members, a process assigns its tasks evenly, those with state first. Raises
    `InputError` where the answer is invalid for the request: a task twice, an unknown task or member.
    """
    number = {task: n for n, task in enumerate(sorted(request.tasks))}
    runs: list[int | None] = [None] * len(number)
    for where, member, task in _given(problem, answer, frozenset(request.stateful)):
        if task not in number:
            raise InputError(f"assignment.{where}: {task} is no task of the application")
        if runs[number[task]] is not None:
            raise InputError(f"assignment.{where}: {task} is given twice")
        runs[number[task]] = member
    return runs


def _given(
    problem: MemberTaskProblem, answer: TaskAssignment, stateful: frozenset[TaskId]
) -> list[tuple[str, int, TaskId]]:
    """The member of each active task: the name in the answer, the member, the task."""
    if answer.members is not None:
        places = {id_: range(m, m + 1) for m, id_ in enumerate(problem.member_ids)}
        what = "member"
    else:
        ids = (process.id for process in problem.processes)
        places, what = dict(zip(ids, problem.members_of, strict=True)), "process"
    given = answer.processes if answer.members is None else answer.members
    for who in given:
        if who not in places:
            raise InputError(f"assignment: {what} {who!r} is not in the application")
    return [
        (who, places[who][turn % len(places[who])], task)
        for who, tasks in given.items()
        for turn, task in enumerate(sorted(tasks.active, key=lambda task: (task not in stateful, task)))
    ]


def _loads(problem: MemberTaskProblem, runs: Sequence[int | None]) -> tuple[list[int], list[int]]:
    """How many active tasks each member has: those with state, and all."""
    every = Counter(member for member in runs if member is not None)
    stateful = Counter(
        member for task, member in enumerate(runs) if member is not None and task not in problem.stateless
    )
    members = range(len(problem.member_ids))
    return [stateful[m] for m in members], [every[m] for m in members]


def _above_even(loads: Sequence[int]) -> int:
    """Squared loads above those of an even share."""
    least, more = divmod(sum(loads), len(loads))
    even = more * (least + 1) ** 2 + (len(loads) - more) * least**2
    return sum(load * load for load in loads) - even


def _further_apart(loads: Sequence[int]) -> int:
    """By how much the difference of the largest and the least load exceeds that of an even share."""
    return max(loads) - min(loads) - (sum(loads) % len(loads) > 0)

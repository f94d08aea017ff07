"""The optimum of Streams tasks as JSON with its certificate, and how far an answer is from it.

*balance* adds up the squares of members' active tasks above the least there are, those with state and all:
0 exactly where both are even. *spread* is the largest count less the smallest, less the optimum's, in the
worse of the two. *movement*, what restores (3) and changes of process (1) cost above the least, is judged
where the balance is met.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.model.streams.tasks import TaskAssignment, TaskId, TaskRequest
from kassay.solver.check.check import require_accepted
from kassay.solver.results import Gap, Least, Solved
from kassay.solver.streams.members import PlacedActives, place_actives, place_standbys, standby_bound
from kassay.solver.streams.optimum import CHANGE, RESTORE, TaskOptimum, best_tasks
from kassay.solver.streams.problem import MemberTaskProblem, TaskProblem

SCHEMA: Final = "kassay/tasks-certificate/2"


def solve_tasks(problem: TaskProblem, time_limit_s: float = 10.0) -> Solved:
    """The interval of a problem of tasks.

    `lower` and `upper` are the cost of restores and changes at the best of both balances.
    """
    best = best_tasks(problem, time_limit_s)
    certificate = tasks_certificate(problem, best)
    figures = require_accepted(certificate, problem.name or "tasks")
    return Solved(certificate, figures)


def tasks_certificate(problem: TaskProblem, best: TaskOptimum) -> dict[str, Any]:
    """The input of the checker of tasks: the instance, the assignment, and the prices of clients."""
    ids = [client.id for client in problem.clients]
    assignment: dict[str, list[int]] = {id_: [] for id_ in ids}
    standbys: dict[str, list[int]] = {id_: [] for id_ in ids}
    for task, (lead, row) in enumerate(zip(best.placed.active, best.placed.standby, strict=True)):
        assignment[ids[lead]].append(task)
        for place in sorted(row):
            standbys[ids[place]].append(task)
    return {
        "schema": SCHEMA,
        "instance": problem.document(),
        "assignment": assignment,
        "standbys": standbys,
        "balanced": best.balanced,
        "lower": best.lower,
        "upper": best.upper,
        "moved": best.moved,
        "copy_prices": list(best.copy_prices),
        "active_prices": list(best.active_prices),
    }


MEMBER_SCHEMA: Final = "kassay/tasks-certificate/3"
_SHARE_OF_ACTIVES: Final = 0.6
_SHARE_OF_STANDBYS: Final = 0.8


def solve_member_tasks(problem: MemberTaskProblem, time_limit_s: float = 10.0) -> Solved:
    """The optimum of active tasks, their standbys, and a bound on any standbys.

    `lower` and `upper` are the cost of active tasks: restores and changes of process.
    """
    certificate = member_certificate(problem, time_limit_s)
    return Solved(certificate, require_accepted(certificate, problem.name or "tasks"))


def member_certificate(problem: MemberTaskProblem, time_limit_s: float) -> dict[str, Any]:
    """The input of the checker: the instance, the assignment, and the prices that prove it."""
    began = time.monotonic()
    actives = place_actives(problem, began + _SHARE_OF_ACTIVES * time_limit_s)
    standbys, standby_prices = place_standbys(
        problem, actives.member, began + _SHARE_OF_STANDBYS * time_limit_s
    )
    copy_prices, lead_prices = standby_bound(problem, actives, standbys, began + time_limit_s)
    return {
        "schema": MEMBER_SCHEMA,
        "instance": problem.document(),
        "assignment": _by_member(problem, [(member,) for member in actives.member]),
        "standbys": _by_member(problem, standbys),
        "stateful_prices": list(actives.stateful_prices),
        "active_prices": list(actives.active_prices),
        "standby_prices": list(standby_prices),
        "copy_prices": list(copy_prices),
        "lead_prices": list(lead_prices),
    }


def _by_member(problem: MemberTaskProblem, members: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    given: dict[str, list[int]] = {id_: [] for id_ in problem.member_ids}
    for task, row in enumerate(members):
        for member in row:
            given[problem.member_ids[member]].append(task)
    return given


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

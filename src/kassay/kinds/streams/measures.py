"""Outcomes of Streams applications: compared with the certified best, and on instances.

The outcomes of Streams applications, compared with the certified best.

How assignors of tasks answer instances of Streams applications.

Processes start with the tasks and the state of the instance. Racks of clients are left out, since the
measured rules know none: loads count tasks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from kassay.kinds.measures import (
    AskedInstance,
    Asking,
    How,
    Measure,
    MeasuredRest,
    NewTarget,
    PlayedInstance,
    Telling,
    ToldInstance,
    gap_of_played,
    measure_of,
)
from kassay.model.calls import Failure
from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol
from kassay.model.streams.documents import task_step_to_json
from kassay.model.streams.history import TaskRun, TaskStep, asking, settle_tasks
from kassay.model.streams.tasks import TaskAssignment, TaskRequest
from kassay.solver.results import OutOfTimeError
from kassay.solver.streams.members import PlacedActives, place_actives
from kassay.solver.streams.problem import MemberTaskProblem, TaskProblem, problem_of, request_of
from kassay.solver.streams.results import member_gap, runs_of


def rest_of_application(run: TaskRun) -> MeasuredRest | None:
    """The stable state after an application's last change, compared with the tasks before it."""
    if not run.answered:
        return None
    return MeasuredRest([_application(run)], run.settling) if run.at_rest else MeasuredRest([], None)


def _application(run: TaskRun) -> Measure | None:
    """Active tasks by thread; moves are counted as restores (3) and changes of process (1)."""
    before = run.steps[run.played - 1].request
    problem = problem_of(before)
    try:
        gap = member_gap(problem, runs_of(problem, before, run.steps[-1].given))
    except InputError:
        return None
    return measure_of(gap, equal=True)


def play_application(new: NewTarget, request: TaskRequest) -> PlayedInstance[TaskAssignment]:
    """The target's assignment for an application that starts with this request, once it is stable."""
    ask = asking(partial(new, {}))
    began = time.perf_counter()
    first = ask(request)
    steps = [first, *settle_tasks(first, ask)]
    seconds = time.perf_counter() - began
    last, rounds = steps[-1], max(1, len(steps) - 1)
    if isinstance(last.answer, Failure):
        return PlayedInstance(None, last.answer.message, rounds, seconds)
    if not last.at_rest:
        return PlayedInstance(None, f"not stable after {rounds} rounds", rounds, seconds)
    return PlayedInstance(last.answer, None, rounds, seconds)


def _telling_of(
    problem: MemberTaskProblem,
    request: TaskRequest,
    played: PlayedInstance[TaskAssignment],
    best: PlacedActives,
) -> Telling | None:
    if played.answer is None:
        return None
    return partial(told_application, problem, request, played.answer, best.member)


def ask_tasks(problem: TaskProblem | MemberTaskProblem, how: How) -> Asking:
    """What calls a target with instances of tasks; raises `OutOfTimeError` if the optimum is too slow."""
    how.flow_only("tasks")
    members = problem if isinstance(problem, MemberTaskProblem) else MemberTaskProblem.by_thread(problem)
    request = request_of(members)
    instance = replace(problem_of(request), name=problem.name)
    best = place_actives(instance, None if how.seconds is None else time.monotonic() + how.seconds)
    if not best.proven:
        raise OutOfTimeError(f"no optimum within {how.seconds:g} s")

    def ask(new: NewTarget, _: RebalanceProtocol) -> AskedInstance:
        played = play_application(new, request)
        measured = gap_of_played(
            instance.name,
            played,
            lambda answer: member_gap(instance, runs_of(instance, request, answer), best),
        )
        return AskedInstance(
            measured, played.rounds, played.seconds, _telling_of(instance, request, played, best)
        )

    return ask


def told_application(
    problem: MemberTaskProblem, request: TaskRequest, answer: TaskAssignment, best: Sequence[int]
) -> ToldInstance:
    """A starting application with its stable tasks; `best` maps each task to its member at the optimum.

    Standby copies are those of the answer: the optimum covers active tasks.
    """
    active: dict[str, list[str]] = {client.process_id: [] for client in request.clients}
    for task, member in zip(sorted(request.tasks), best, strict=True):
        active[problem.processes[problem.process_of[member]].id].append(str(task))
    given = {process_id: {"active": tasks, "standby": []} for process_id, tasks in active.items()}
    step = task_step_to_json(TaskStep(request, answer, at_rest=True))
    return ToldInstance(step, given, "active tasks: standby copies are no part of this optimum", (0, None))

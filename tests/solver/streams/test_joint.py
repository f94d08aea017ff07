"""The linear programme of actives and standbys against every assignment there is."""

from __future__ import annotations

import random
import time
from types import SimpleNamespace

import pytest

from kassay.solver.instances.brokers_and_tasks import tasks
from kassay.solver.streams import joint
from kassay.solver.streams.joint import Joint, Tariff, _Programme, joint_tasks
from kassay.solver.streams.optimum import CHANGE, RESTORE, SCALE, Placed, best_tasks, cost, quotas
from kassay.solver.streams.problem import TaskProblem
from tests.solver.streams import cases

pytest.importorskip("ortools")


def joint_of(problem: TaskProblem, seconds: float = 30.0) -> Joint | None:
    return joint_tasks(problem, quotas(problem), Tariff(RESTORE, CHANGE, SCALE), time.monotonic() + seconds)


def test_what_it_answers_is_the_best_of_all_assignments() -> None:
    rng = random.Random(31)
    answered = 0
    for _ in range(60):
        case = cases.small(rng, threads=False)
        joint = joint_of(TaskProblem.parse(case))
        if joint is None:
            continue
        answered += 1
        chosen = tuple(zip(joint.active, joint.standby, strict=True))
        assert set(chosen) <= set(cases.choices(case))
        assert cases.worth(case, chosen) == min(cases.every(case))
    assert answered > 35


def test_shares_that_differ_are_met_or_left_to_the_flows() -> None:
    rng = random.Random(32)
    answered = 0
    for _ in range(40):
        case = cases.small(rng)
        joint = joint_of(TaskProblem.parse(case))
        if joint is not None:
            answered += 1
            chosen = tuple(zip(joint.active, joint.standby, strict=True))
            assert cases.worth(case, chosen) == min(cases.every(case))
    assert answered > 15


@pytest.mark.parametrize("shape", ["join", "leave"])
def test_what_flows_in_turns_leave_open_is_proven(shape: str) -> None:
    problem = TaskProblem.parse(tasks(shape, 1, clients=20, tasks=210))
    best = best_tasks(problem, 60.0)
    assert best.optimal
    joint = joint_of(problem)
    assert joint is not None
    assert best.upper <= cost(problem, Placed(joint.active, joint.standby))


def test_values_without_prices_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = SimpleNamespace(has_dual_feasible_solution=lambda: False)
    monkeypatch.setattr(_Programme, "_ask", lambda *_: stopped)
    assert joint_of(TaskProblem.parse(tasks("join", 1, clients=3, tasks=6))) is None


def test_without_time_there_is_no_answer() -> None:
    problem = TaskProblem.parse(tasks("join", 1, clients=5, tasks=20))
    assert joint_of(problem, seconds=-1.0) is None


@pytest.mark.parametrize(("looks", "written"), [(0, 0), (1, 0), (2, joint._LOOKS_EVERY)])
def test_what_is_not_written_down_by_the_deadline_is_given_up(
    monkeypatch: pytest.MonkeyPatch, looks: int, written: int
) -> None:
    """The clock stands still for so many looks at it; then the deadline has passed."""
    problem = TaskProblem.parse(tasks("join", 1, clients=5, tasks=3 * joint._LOOKS_EVERY))
    clock = iter([0.0] * looks)
    monkeypatch.setattr(joint, "time", SimpleNamespace(monotonic=lambda: next(clock, 9.0)))
    tasks_written = []
    choices_of = _Programme._choices_of
    monkeypatch.setattr(
        _Programme,
        "_choices_of",
        lambda programme, task: tasks_written.append(task) or choices_of(programme, task),
    )
    assert joint_tasks(problem, quotas(problem), Tariff(RESTORE, CHANGE, SCALE), 5.0) is None
    assert len(tasks_written) == written

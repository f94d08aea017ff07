"""Active tasks and standbys in one linear programme, for OR-tools: faster and better than alternating flows.

A task chooses which holders of its state stay, active or standby; each further copy goes to a hub, one for
active tasks and one for standbys, and from there to any client. Both balances are boxes: the numbers of
active tasks and of copies of each client that the best balance allows. With its choices written out this is
the strongest relaxation that prices can prove, and mostly integral: then it is an optimum, unless a hub would
assign a client a task that it has, which exchanges of two prevent. A mixed-integer search over the fractional
tasks settles the rest. Duals are prices of clients, and the checker does not trust floats: rounded prices
prove a bound like any others.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import combinations
from typing import Any, Final, NamedTuple

from kassay.solver.algorithms import bulk_flow
from kassay.solver.algorithms.convex import Quota
from kassay.solver.results import OutOfTimeError
from kassay.solver.streams.problem import TaskProblem

_HOLDERS_MOST: Final = 4
"""The choices of a task double with each holder of its state."""
_WHOLE: Final = 1e-6
_LOOKS_EVERY: Final = 256
"""Tasks that are added between two checks of the clock."""


class TaskChoice(NamedTuple):
    """The holder of the state that leads (None: a client of the hub), those that follow, others' number."""

    lead: int | None
    follow: tuple[int, ...]
    others: int
    cost: int


class Joint(NamedTuple):
    """Clients by task, active and standby; prices, in 1 / SCALE, of copies and of active tasks."""

    active: tuple[int, ...]
    standby: tuple[frozenset[int], ...]
    copy_prices: tuple[int, ...]
    active_prices: tuple[int, ...]


class Tariff(NamedTuple):
    """The costs of a restore and of a change of active client, and the parts of a unit in prices."""

    restore: int
    change: int
    scale: int


def joint_tasks(
    problem: TaskProblem, quotas: tuple[Quota, Quota], tariff: Tariff, deadline: float
) -> Joint | None:
    """The programme's assignment by the deadline (of `time.monotonic`); `quotas` are of copies and actives.

    None where OR-tools is not installed, where tasks have too many holders, where the time is too short or
    where the programme has no answer that clients can implement.
    """
    holders = max((len(problem.state(task)) for task in range(problem.tasks)), default=0)
    if not bulk_flow.installed() or holders > _HOLDERS_MOST or not problem.tasks:
        return None
    try:
        return _Programme(problem, quotas, tariff, deadline).solved(deadline)
    except OutOfTimeError:
        return None


def _require_before(deadline: float) -> None:
    """Raise `OutOfTimeError` where the deadline has passed."""
    if time.monotonic() > deadline:
        raise OutOfTimeError("the time limit is spent")


class _Programme:
    """The linear programme: a variable for each choice of a task, and one for each hub and client.

    Building it may take longer than solving it: raises `OutOfTimeError` if it is not built by the deadline.
    """

    def __init__(
        self, problem: TaskProblem, quotas: tuple[Quota, Quota], tariff: Tariff, deadline: float
    ) -> None:
        _require_before(deadline)
        from ortools.math_opt.python import mathopt

        self.problem, self.quotas, self.tariff = problem, quotas, tariff
        self.mathopt: Any = mathopt
        self.model: Any = mathopt.Model()
        clients = range(len(problem.clients))
        self.leads: list[Any] = [self.model.add_variable(lb=0) for _ in clients]
        self.follows: list[Any] = [self.model.add_variable(lb=0) for _ in clients]
        self.choices: list[list[tuple[TaskChoice, Any]]] = []
        leading: list[list[Any]] = [[each] for each in self.leads]
        holding: list[list[Any]] = [[*each] for each in zip(self.leads, self.follows, strict=True)]
        costs, from_leads, from_follows = [], [], []
        for task in range(problem.tasks):
            if not task % _LOOKS_EVERY:
                _require_before(deadline)
            mine = [(choice, self.model.add_variable(lb=0, ub=1)) for choice in self._choices_of(task)]
            self.choices.append(mine)
            self.model.add_linear_constraint(mathopt.fast_sum(each for _, each in mine) == 1)
            for choice, variable in mine:
                costs.append(choice.cost * variable)
                if choice.lead is None:
                    from_leads.append(variable)
                else:
                    leading[choice.lead].append(variable)
                    holding[choice.lead].append(variable)
                for client in choice.follow:
                    holding[client].append(variable)
                if choice.others:
                    from_follows.append(choice.others * variable)
        total = mathopt.fast_sum
        self.model.add_linear_constraint(total(from_leads) == total(self.leads))
        self.model.add_linear_constraint(total(from_follows) == total(self.follows))
        _require_before(deadline)
        self.rows = [
            [
                self.model.add_linear_constraint(expr=total(row), lb=low, ub=high)
                for row, (low, high) in zip(rows, _boxes(quota), strict=True)
            ]
            for rows, quota in zip((holding, leading), quotas, strict=True)
        ]
        _require_before(deadline)
        self.model.minimize(total(costs))

    def _choices_of(self, task: int) -> Iterator[TaskChoice]:
        """Every way to assign a task's copies to the holders of its state, the rest from the hubs."""
        problem, tariff = self.problem, self.tariff
        old, state = problem.active[task], sorted(problem.state(task))
        for lead in (*state, None):
            led = tariff.restore * (lead is None) + tariff.change * (old is not None and lead != old)
            holders = [client for client in state if client != lead]
            for number in range(min(len(holders), problem.copies - 1) + 1):
                others = problem.copies - 1 - number
                for follow in combinations(holders, number):
                    yield TaskChoice(lead, follow, others, led + tariff.restore * others)

    def solved(self, deadline: float) -> Joint | None:
        """The programme's answer by the deadline, as clients of tasks and prices."""
        answer = self._ask(self.mathopt.SolverType.GLOP, deadline)
        # A run that the time limit stopped may have values without prices.
        if answer is None or not answer.has_dual_feasible_solution():
            return None
        values, prices = answer.variable_values(), self._prices(answer.dual_values())
        if any(abs(value - round(value)) > _WHOLE for value in values.values()):
            self._settle(values)
            answer = self._ask(self.mathopt.SolverType.HIGHS, deadline)
            if answer is None:
                return None
            values = answer.variable_values()
        clients = self._dealt(values)
        return None if clients is None else Joint(*clients, *prices)

    def _ask(self, solver: Any, deadline: float) -> Any:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        limits = self.mathopt.SolveParameters(time_limit=timedelta(seconds=left), threads=1)
        answer = self.mathopt.solve(self.model, solver, params=limits)
        reasons = self.mathopt.TerminationReason
        return answer if answer.termination.reason in (reasons.OPTIMAL, reasons.FEASIBLE) else None

    def _settle(self, values: Any) -> None:
        """Fix the integral choices, and require whole numbers in the others."""
        for mine in self.choices:
            for _, variable in mine:
                value = values[variable]
                if all(abs(values[each] - round(values[each])) <= _WHOLE for _, each in mine):
                    variable.lower_bound = variable.upper_bound = round(value)
                variable.integer = True
        for variable in (*self.leads, *self.follows):
            variable.integer = True

    def _prices(self, duals: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The duals of both boxes of each client, relative to the price at which balance is level."""
        scale = self.tariff.scale
        copies, actives = (
            tuple(scale * quota.level_price() - round(scale * duals[row]) for row in rows)
            for quota, rows in zip(self.quotas, self.rows, strict=True)
        )
        return copies, actives

    def _dealt(self, values: Any) -> tuple[tuple[int, ...], tuple[frozenset[int], ...]] | None:
        """Each task's clients; None where the hubs' copies cannot be assigned to clients without them."""
        chosen = [max(mine, key=lambda each: values[each[1]])[0] for mine in self.choices]
        rows = [{*choice.follow, *(() if choice.lead is None else (choice.lead,))} for choice in chosen]
        active = [choice.lead for choice in chosen]
        leads = _given(values, self.leads)
        wanting = [task for task, lead in enumerate(active) if lead is None]
        for task, client in zip(wanting, _handed(rows, wanting, leads) or (), strict=False):
            active[task] = client
        whole = [lead for lead in active if lead is not None]
        if len(whole) < len(active):
            return None
        wanting = [task for task, choice in enumerate(chosen) for _ in range(choice.others)]
        if _handed(rows, wanting, _given(values, self.follows)) is None:
            return None
        return tuple(whole), tuple(frozenset(row - {lead}) for row, lead in zip(rows, whole, strict=True))


def _boxes(quota: Quota) -> list[tuple[int, int]]:
    """The least and the most units of each place wherever balance is best."""
    level = quota.level_price()
    boxes = []
    for place in range(len(quota.shares)):
        low = quota.floor(place)
        while low and quota.marginal(place, low - 1) >= level:
            low -= 1
        high = low
        while quota.marginal(place, high) <= level:
            high += 1
        boxes.append((low, high))
    return boxes


def _given(values: Any, variables: Iterable[Any]) -> list[int]:
    """The clients that a hub assigns copies to, each repeated as often."""
    return [client for client, each in enumerate(variables) for _ in range(round(values[each]))]


def _handed(rows: Sequence[set[int]], tasks: Sequence[int], clients: list[int]) -> list[int] | None:
    """The clients of these tasks, which join their rows; None where a client would have a task twice.

    A client that has the task already is exchanged with a later one, or an earlier one.
    """
    if len(tasks) != len(clients):
        return None
    for at, task in enumerate(tasks):
        if clients[at] in rows[task] and not _changed(rows, tasks, clients, at):
            return None
        rows[task].add(clients[at])
    return clients


def _changed(rows: Sequence[set[int]], tasks: Sequence[int], clients: list[int], at: int) -> bool:
    """Whether the client at a place could be exchanged with another; if so, it is."""
    own, mine = clients[at], rows[tasks[at]]
    for other in (*range(at + 1, len(tasks)), *range(at)):
        theirs = rows[tasks[other]]
        if clients[other] in mine or (other < at and own in theirs):
            continue
        if other < at:
            theirs.remove(clients[other])
            theirs.add(own)
        clients[at], clients[other] = clients[other], own
        return True
    return False

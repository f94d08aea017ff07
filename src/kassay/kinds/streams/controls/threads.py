"""Faulty task assignors: an even rule without memory, with one fault."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import ClassVar, Final

from kassay.kinds import controls
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskId, TaskRequest

control = partial(controls.control, kinds=STREAMS)

KEPT: Final = (
    *("balanced-within-one", "balanced-optimal", "stateful-balanced"),
    *("standby-disjoint", "standby-count", "stable", "converges"),
)
"""The claims that the even rule keeps; each control keeps all but the one it breaks."""


class EvenTasks:
    """Each task goes to the process where it weighs least, tasks with state first, and then each copy.

    The k-th task on c threads weighs k/c. Processes and their threads count; the past does not.
    """

    name: ClassVar[str] = "even-tasks"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all processes."""
        runs = self.actives(request)
        keeps = self.copies(request, runs)
        return TaskAssignment(
            {p: ClientTasks(tuple(sorted(own)), tuple(sorted(keeps[p]))) for p, own in runs.items()}
        )

    def order(self, request: TaskRequest) -> Sequence[str]:
        """The processes; where a task weighs the same on several, the first of them gets it."""
        return sorted(request.by_id, key=lambda p: (request.by_id[p].capacity, p))

    def tasks(self, request: TaskRequest) -> list[TaskId]:
        """The tasks in the order of assignment, those with state first."""
        return [*sorted(request.stateful), *sorted(set(request.tasks).difference(request.stateful))]

    def actives(self, request: TaskRequest) -> dict[str, list[TaskId]]:
        """The active tasks of each process."""
        runs: dict[str, list[TaskId]] = {p: [] for p in self.order(request)}
        for task in self.tasks(request):
            runs[min(runs, key=lambda p: (len(runs[p]) + 1) / request.by_id[p].capacity)].append(task)
        return runs

    def copies(self, request: TaskRequest, runs: Mapping[str, Sequence[TaskId]]) -> dict[str, list[TaskId]]:
        """The standby copies of each process."""
        keeps: dict[str, list[TaskId]] = {p: [] for p in runs}

        def weight(process_id: str) -> float:
            load = len(runs[process_id]) + len(keeps[process_id])
            return (load + 1) / request.by_id[process_id].capacity

        for task in sorted(request.stateful):
            free = sorted((p for p in runs if task not in runs[p]), key=weight)
            for p in free[: request.standby_replicas]:
                keeps[p].append(task)
        return keeps


class StickyTasks(EvenTasks):
    """Each process keeps its own tasks up to its share; the others fill the remaining shares."""

    def actives(self, request: TaskRequest) -> dict[str, list[TaskId]]:
        """Kept tasks, and then new or surplus ones."""
        tasks, owners = self.tasks(request), request.previous_owners
        had = {p: [task for task in tasks if owners.get(task) == p] for p in self.order(request)}
        shares = self.shares(request, had)
        runs = {p: own[: shares[p]] for p, own in had.items()}
        free = iter(sorted(set(tasks).difference(*runs.values())))
        return {p: [*own, *islice(free, shares[p] - len(own))] for p, own in runs.items()}

    def shares(self, request: TaskRequest, had: Mapping[str, Sequence[TaskId]]) -> dict[str, int]:
        """The number of tasks due to each process; equal weights favour one that owns more than that."""
        shares = dict.fromkeys(had, 0)

        def weight(process_id: str) -> tuple[Fraction, bool]:
            share = shares[process_id]
            return Fraction(share + 1, request.by_id[process_id].capacity), len(had[process_id]) <= share

        for _ in request.tasks:
            shares[min(shares, key=weight)] += 1
        return shares


@control(
    "ignores-threads", breaks="balanced-optimal", keeps=tuple(k for k in KEPT if k != "balanced-optimal")
)
class CountsNoNextTask(EvenTasks):
    """A task goes where the tasks that are there weigh least, whatever it weighs there itself."""

    def actives(self, request: TaskRequest) -> dict[str, list[TaskId]]:
        """The active tasks of each process, by the weight without the next task."""
        runs: dict[str, list[TaskId]] = {p: [] for p in self.order(request)}
        for task in self.tasks(request):
            runs[min(runs, key=lambda p: len(runs[p]) / request.by_id[p].capacity)].append(task)
        return runs


@control(
    "swaps-two",
    breaks="sticky-minimal",
    keeps=(
        "balanced-within-one",
        "balanced-optimal",
        "standby-disjoint",
        "standby-count",
        "stable",
        "converges",
    ),
)
class SwapsTwoTasks(StickyTasks):
    """When any client gets a new task, two tasks that could stay swap clients as well."""

    def actives(self, request: TaskRequest) -> dict[str, list[TaskId]]:
        """The sticky rule's tasks; where one is new to its process, the first two that stay are swapped."""
        runs = super().actives(request)
        owners = {task: p for p, own in runs.items() for task in own}
        before = request.previous_owners
        moves = any(before.get(task) != p for task, p in owners.items())
        keeps = [p for p in runs if any(before.get(task) == p for task in runs[p])]
        for one, other in [keeps[:2]] if moves and len(keeps) > 1 else []:
            first, second = (next(t for t in runs[p] if before.get(t) == p) for p in (one, other))
            runs[one] = [second if task == first else task for task in runs[one]]
            runs[other] = [first if task == second else task for task in runs[other]]
        return runs


@control("stands-by-itself", breaks="standby-disjoint", keeps=KEPT)
class StandsByItself(EvenTasks):
    """One standby copy is kept where the task runs."""

    def copies(self, request: TaskRequest, runs: Mapping[str, Sequence[TaskId]]) -> dict[str, list[TaskId]]:
        """One copy of the last task with state on the task's own process instead of the right one."""
        keeps = super().copies(request, runs)
        last = max(request.stateful, default=None)
        for p in [p for p in keeps if last in keeps[p]][:1]:
            keeps[p].pop()
            keeps[next(other for other in runs if last in runs[other])].append(max(request.stateful))
        return keeps


@control("copies-to-one", breaks="threads-balanced", keeps=KEPT)
class CopiesToOne(EvenTasks):
    """Standby copies are kept by the first processes that do not run the task."""

    def copies(self, request: TaskRequest, runs: Mapping[str, Sequence[TaskId]]) -> dict[str, list[TaskId]]:
        """All copies to the first processes."""
        keeps: dict[str, list[TaskId]] = {p: [] for p in runs}
        for task in sorted(request.stateful):
            for p in [p for p in runs if task not in runs[p]][: request.standby_replicas]:
                keeps[p].append(task)
        return keeps


@control("copies-everywhere", breaks="standby-count", keeps=KEPT)
class CopiesEverywhere(EvenTasks):
    """Every process keeps a copy of every task with state."""

    def copies(self, request: TaskRequest, runs: Mapping[str, Sequence[TaskId]]) -> dict[str, list[TaskId]]:
        """Copies wherever the task does not run."""
        return {p: sorted(set(request.stateful).difference(own)) for p, own in runs.items()}


@control("state-to-one", breaks="stateful-balanced", keeps=KEPT)
class StateToOne(EvenTasks):
    """The tasks with state go to the first processes, as many as make their share of all tasks."""

    def actives(self, request: TaskRequest) -> dict[str, list[TaskId]]:
        """As many tasks for each process as its share, consecutive ones."""
        tasks: Iterable[TaskId] = iter(self.tasks(request))
        shares = super().actives(request)
        return {p: [task for _, task in zip(own, tasks, strict=False)] for p, own in shares.items()}


@control("leaves-one-out", breaks="task-errors", keeps=KEPT)
class LeavesOneOut(EvenTasks):
    """A process without a task has no entry."""

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The entries that have a task."""
        whole = super().assign(request).processes
        return TaskAssignment({p: tasks for p, tasks in whole.items() if any(tasks)})


@control("deals-again", breaks="fixed-point", keeps=KEPT)
class DealsAgain(EvenTasks):
    """Assigns tasks in reverse order while any task is new to the group, and in order afterwards."""

    def tasks(self, request: TaskRequest) -> list[TaskId]:
        """One order in a first run, another in the next."""
        tasks, stateful = super().tasks(request), len(request.stateful)
        if all(request.previous_owners.get(task) in request.by_id for task in tasks):
            return tasks
        return [*tasks[:stateful][::-1], *tasks[stateful:][::-1]]


@control("goes-by-listing", breaks="order-independent", keeps=KEPT)
class GoesByListing(EvenTasks):
    """Who is given a task first is whoever is listed first."""

    def order(self, request: TaskRequest) -> Sequence[str]:
        """In listing order."""
        return list(request.by_id)


@control("hashes-processes", breaks="deterministic", keeps=KEPT)
class TasksFollowHashes(EvenTasks):
    """Who is given a task first goes by the order of a hash set, another one in each process."""

    def order(self, request: TaskRequest) -> Sequence[str]:
        """In hash order."""
        return sorted(request.by_id, key=hash)

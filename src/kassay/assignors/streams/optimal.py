"""Optimal Streams: tasks balanced by member at the certified least cost, standbys where their state is.

Goals, in order: active tasks with state within one by member, and all active tasks too; the least cost of
restores (3 each) and changes of process (1 each); the fewest active tasks leave their member; within these,
tasks of either kind as balanced by member as possible; the fewest standbys are restored.
Ties are those of the solver: an answer depends on the previous owners, not on the order in which they are
listed.
Source: kassay's own; `kassay.solver`. KIP-1071 for members inside processes.
Cost: a minimum-cost flow and an exchange; `docs/optimum.md` says which goals are proven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kassay.assignors.registry import reference
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskId, TaskRequest

if TYPE_CHECKING:
    from kassay.solver.streams.members import Standbys
    from kassay.solver.streams.problem import MemberTaskProblem


@reference(
    "optimal-streams",
    kind=STREAMS,
    claims=(
        "standby-disjoint",
        "standby-count",
        "task-errors",
        "stateful-balanced",
        "sticky-by-member",
        "sticky-standbys",
        "fixed-point",
        "stable",
        "converges",
        "deterministic",
        "order-independent",
    ),
    source="kassay.solver.streams.members",
)
class OptimalStreams:
    """Active tasks in both balances at the least cost, then the best standbys."""

    name = "optimal-streams"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all members, and so of their processes."""
        # Imported here, so that users of other rules do not load the solver.
        from kassay.solver.streams.members import place_actives, place_standbys
        from kassay.solver.streams.problem import problem_of

        problem, tasks = problem_of(request), sorted(request.tasks)
        if not problem.processes:
            return TaskAssignment({}, members={})
        active = self.placed(problem, place_actives(problem).member)
        standbys = self.copied(problem, active, place_standbys(problem, active)[0])
        given: dict[str, tuple[list[TaskId], list[TaskId]]] = {id_: ([], []) for id_ in problem.member_ids}
        for task, lead, row in zip(tasks, active, standbys, strict=True):
            given[problem.member_ids[lead]][0].append(task)
            for member in row:
                given[problem.member_ids[member]][1].append(task)
        members = {who: ClientTasks(tuple(own), tuple(copies)) for who, (own, copies) in given.items()}
        return TaskAssignment(_by_process(problem, request, members), members=members)

    def placed(self, problem: MemberTaskProblem, best: Sequence[int]) -> Sequence[int]:
        """The member of each active task in the optimum."""
        return best

    def copied(self, problem: MemberTaskProblem, active: Sequence[int], best: Standbys) -> Standbys:
        """The members of the standbys of each task in the optimum."""
        return best


def _by_process(
    problem: MemberTaskProblem, request: TaskRequest, members: Mapping[str, ClientTasks]
) -> dict[str, ClientTasks]:
    """The tasks of each process, in the order of the request."""
    own = {process.id: [members[who] for who in process.members] for process in problem.processes}
    return {
        process_id: ClientTasks(
            tuple(sorted(task for tasks in own[process_id] for task in tasks.active)),
            tuple(sorted(task for tasks in own[process_id] for task in tasks.standby)),
        )
        for process_id in request.by_id
    }

"""A faulty task assignor by member: the certified optimum, and something done otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import ClassVar, Final

from kassay.certify.faulty import registry
from kassay.model.kinds import Kind
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskId, TaskRequest
from kassay.properties.streams.stickiness import homes
from kassay.solver.streams.members.actives import place_actives
from kassay.solver.streams.members.problem import MemberTaskProblem
from kassay.solver.streams.members.requests import problem_of
from kassay.solver.streams.members.standbys import place_standbys

control = partial(registry.control, kinds=Kind.STREAMS)

KEPT: Final = (
    *("standby-disjoint", "standby-count", "task-errors", "stateful-balanced"),
    *("stable", "converges", "fixed-point"),
)
"""What the optimum keeps, and the control but what it breaks."""


class SettledTasks:
    """Active tasks in both balances at the least cost, then the best standbys beside them."""

    name: ClassVar[str] = "settled-tasks"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all members, and so of their processes."""
        problem, tasks = problem_of(request), sorted(request.tasks)
        active = self.placed(problem, place_actives(problem).member)
        standbys, _ = place_standbys(problem, active)
        given: dict[str, tuple[list[TaskId], list[TaskId]]] = {id_: ([], []) for id_ in problem.member_ids}
        for task, lead, row in zip(tasks, active, standbys, strict=True):
            given[problem.member_ids[lead]][0].append(task)
            for member in row:
                given[problem.member_ids[member]][1].append(task)
        members = {who: ClientTasks(tuple(own), tuple(copies)) for who, (own, copies) in given.items()}
        processes: dict[str, ClientTasks] = dict.fromkeys(request.by_id, ClientTasks())
        for who, process in homes(request).items():
            both = zip(processes[process], members[who], strict=True)
            processes[process] = ClientTasks(*(tuple(sorted(one + other)) for one, other in both))
        return TaskAssignment(processes, members=members)

    def placed(self, problem: MemberTaskProblem, best: Sequence[int]) -> Sequence[int]:
        """The member of each active task: the best."""
        return best


@control("swaps-what-was-lost", breaks="sticky-by-member", keeps=KEPT)
class SwapsWhatWasLost(SettledTasks):
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

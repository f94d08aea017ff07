"""Active tasks on members: both balances, then the least cost, then the fewest that leave their member.

A minimum-cost flow. A task goes to the member that ran it, to the hub of a process with its state, or to the
hub of all; hubs lead to the processes' members. A member has a node for tasks with state before one for all
tasks, each with room for the even share at no cost and for one more at a cost above all others. Such counts
exist for both at once, so both balances are reached; the network is one of flows, so the optimum is integral
and its potentials prove it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kassay.solver.algorithms.flow import Network
from kassay.solver.streams.members.problem import MemberTaskProblem
from kassay.solver.streams.optimum import CHANGE, RESTORE

_Class = tuple[bool, int | None, frozenset[int]]
"""A class of tasks: whether they have state, their previous member, the processes with their state."""


@dataclass(frozen=True)
class PlacedActives:
    """Each task's member, and for each member a price for a task with state, and one for any task.

    The prices prove how good the members are; if time was short (not `proven`) they prove nothing.
    """

    member: tuple[int, ...]
    stateful_prices: tuple[int, ...]
    active_prices: tuple[int, ...]
    proven: bool


def dear(problem: MemberTaskProblem) -> int:
    """The weight of one unit of cost: more than all tasks that leave their member."""
    return problem.tasks + 1


def place_actives(problem: MemberTaskProblem, deadline: float | None = None) -> PlacedActives:
    """The best active tasks, proven; or, once the deadline is past, balanced ones."""
    flow = _Flow(problem)
    if flow.run(deadline):
        return PlacedActives(flow.members(), *flow.prices(), True)
    nothing = (0,) * len(problem.member_ids)
    return PlacedActives(_balanced(problem), nothing, nothing, False)


def dearest_actives(problem: MemberTaskProblem) -> tuple[int, ...]:
    """The members of active tasks with the highest cost of all balanced ones."""
    flow = _Flow(problem, dearest=True)
    flow.run(None)
    return flow.members()


class _Flow:
    """The network of a problem: `out` has the arcs out of each hub and class.

    For the `dearest` each class leads to all members, at the amount by which another could cost more.
    """

    def __init__(self, problem: MemberTaskProblem, dearest: bool = False) -> None:
        self.problem = problem
        self.classes: dict[_Class, list[int]] = {}
        for task in range(problem.tasks):
            key = (task not in problem.stateless, problem.active[task], problem.state(task))
            self.classes.setdefault(key, []).append(task)
        members, processes = len(problem.member_ids), len(problem.processes)
        self.network = Network()
        self.source, self.sink = self.network.node(), self.network.node()
        self.stateful = self.network.nodes(members)
        self.any = self.network.nodes(members)
        self.process = self.network.nodes(processes)
        self.with_state, self.without = self.network.node(), self.network.node()
        self.out: dict[int, list[tuple[int, int]]] = {}
        self.start: list[tuple[int, list[int]]] = []
        self._members()
        self._hubs()
        for (stateful, old, state), tasks in self.classes.items():
            node = self.network.node()
            self.network.arc(self.source, node, len(tasks))
            self.start.append((node, tasks))
            lead = self._anywhere if dearest else self._class
            lead(node, stateful, old, state)

    def run(self, deadline: float | None) -> bool:
        """Whether all tasks found a member before the deadline."""
        return self.network.cheapest(self.source, self.sink, deadline=deadline) == self.problem.tasks

    def members(self) -> tuple[int, ...]:
        """The member of each task."""
        member = [-1] * self.problem.tasks
        waiting = list(self.start)
        hubs: dict[int, list[int]] = {}
        ends = {node: m for nodes in (self.stateful, self.any) for m, node in enumerate(nodes)}
        # Classes lead to hubs, the hub of all to those of processes, these to members.
        for nodes in (waiting, (self.with_state,), self.process, (self.without,)):
            for each in nodes:
                node, tasks = each if isinstance(each, tuple) else (each, hubs.get(each, []))
                for arc, head in self.out.get(node, ()):
                    number = self.network.flow(arc)
                    going, tasks = tasks[:number], tasks[number:]
                    if head in ends:
                        for task in going:
                            member[task] = ends[head]
                    else:
                        hubs.setdefault(head, []).extend(going)
        return tuple(member)

    def prices(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The value of the last task with state, and of the last of all, at each member."""
        potential = self.network.potential or [0] * len(self.network.out)
        stateful = tuple(
            potential[any_] - potential[own] for own, any_ in zip(self.stateful, self.any, strict=True)
        )
        return stateful, tuple(-potential[any_] for any_ in self.any)

    def _arc(self, tail: int, head: int, cost: int) -> None:
        self.out.setdefault(tail, []).append((self.network.arc(tail, head, cost=cost), head))

    def _members(self) -> None:
        problem, members = self.problem, len(self.problem.member_ids)
        above = 1 + problem.tasks * (dear(problem) * (RESTORE + CHANGE) + 1)
        for own, any_ in zip(self.stateful, self.any, strict=True):
            for tail, head, number in ((own, any_, problem.stateful), (any_, self.sink, problem.tasks)):
                self.network.arc(tail, head, number // members)
                self.network.arc(tail, head, 1, above)

    def _hubs(self) -> None:
        for hub, members in zip(self.process, self.problem.members_of, strict=True):
            self._arc(self.with_state, hub, 0)
            for m in members:
                self._arc(hub, self.stateful[m], 0)
        for any_ in self.any:
            self._arc(self.without, any_, 0)

    def _class(self, node: int, stateful: bool, old: int | None, state: frozenset[int]) -> None:
        left, weight = int(old is not None), dear(self.problem)
        if old is not None:
            self._arc(node, self.stateful[old] if stateful else self.any[old], 0)
        if not stateful:
            self._arc(node, self.without, left)
            return
        for process in sorted(state):
            change = old is not None and process != self.problem.process_of[old]
            self._arc(node, self.process[process], weight * CHANGE * change + left)
        self._arc(node, self.with_state, weight * (RESTORE + CHANGE * left) + left)

    def _anywhere(self, node: int, stateful: bool, old: int | None, state: frozenset[int]) -> None:
        problem, weight = self.problem, dear(self.problem)
        for member, process in enumerate(problem.process_of):
            cost = 0
            if stateful:
                changed = old is not None and problem.process_of[old] != process
                cost = RESTORE * (process not in state) + CHANGE * changed
            spared = weight * (RESTORE + CHANGE - cost) + (old in (None, member))
            self._arc(node, (self.stateful if stateful else self.any)[member], spared)


def _balanced(problem: MemberTaskProblem) -> tuple[int, ...]:
    """A member for each task, in balance: the previous one while it has room, else the emptiest."""
    places = range(len(problem.member_ids))
    member: list[int] = [-1] * problem.tasks
    of_all = [0] * len(places)
    with_state = [task for task in range(problem.tasks) if task not in problem.stateless]
    for tasks, total in ((with_state, len(with_state)), (sorted(problem.stateless), problem.tasks)):
        room = _room(of_all, total)
        for task in tasks:
            old = problem.active[task]
            if old is not None and room[old]:
                member[task] = old
                room[old] -= 1
                of_all[old] += 1
        emptiest = iter([m for m in places for _ in range(room[m])])
        for task in tasks:
            if member[task] < 0:
                member[task] = next(emptiest)
                of_all[member[task]] += 1
    return tuple(member)


def _room(counts: list[int], total: int) -> list[int]:
    """How many more tasks each member takes, so that all are within one of each other."""
    each, more = divmod(total, len(counts))
    more -= sum(count > each for count in counts)
    return [
        max(0, each - count) + extra for count, extra in zip(counts, _extras(counts, each, more), strict=True)
    ]


def _extras(counts: list[int], each: int, more: int) -> Iterator[int]:
    """1 for `more` of those that are not above their share, 0 for the others."""
    for count in counts:
        extra = count <= each and more > 0
        more -= extra
        yield int(extra)

"""Tasks on members inside processes: the best active tasks, then standbys, and a bound for all standbys.

Active tasks on members: both balances, then the least cost, then the fewest that leave their member.

A minimum-cost flow. A task goes to the member that ran it, to the hub of a process with its state, or to the
hub of all; hubs lead to the processes' members. A member has a node for tasks with state before one for all
tasks, each with room for the even share at no cost and for one more at a cost above all others. Such counts
exist for both at once, so both balances are reached; the network is one of flows, so the optimum is integral
and its potentials prove it.

Standby copies for given active tasks: all copies balanced by member, then the fewest restores.

Each task with state picks a number of other processes, at cost 1 where its state is missing; a process pays
for its copies the costs of its members with the fewest. So the picks are one exchange
(`algorithms.exchange`), exact and proven by a price for each process.

Prices by process that prove the least number of restores of any standbys (Lagrange's bound).

Where the active tasks pay the least, each runs where its price of the flow is least, and members with higher
prices have more: so standbys are bounded for all such active tasks at once, by a price for each copy in a
process and one for each active task with state.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from typing import Final

from kassay.solver.algorithms.exchange import cheapest
from kassay.solver.algorithms.flow import Network
from kassay.solver.streams.optimum import CHANGE, RESTORE
from kassay.solver.streams.problem import MemberTaskProblem

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


SCALE: Final = 16
"""Prices are whole numbers of 1 / SCALE of a restore."""
_STEPS: Final = 100
Prices = tuple[tuple[int, ...], tuple[int, ...]]
"""For each process the price of a copy, and that of an active task with state."""


def standby_bound(
    problem: MemberTaskProblem, actives: PlacedActives, standbys: Standbys, deadline: float
) -> Prices:
    """Prices with a high bound, by subgradient steps from zero."""
    best: Prices = ((0,) * len(problem.processes),) * 2
    if not actives.proven or not problem.following or not problem.stateful:
        return best
    goal = SCALE * restores(problem, standbys)
    dual = _Dual(problem, actives, _is_even(problem, actives, standbys))
    highest, prices = None, best
    for step in range(_STEPS):
        value, slopes = dual.at(*prices)
        if highest is None or value > highest:
            highest, best = value, prices
        length = sum(s * s for slope in slopes for s in slope)
        if highest > goal - SCALE or not length or time.monotonic() > deadline:
            break
        pace = 1.2 * 0.97**step * max(goal - value, 1) / length
        copies, leads = (
            tuple(round(price + pace * s) for price, s in zip(row, slope, strict=True))
            for row, slope in zip(prices, slopes, strict=True)
        )
        prices = copies, leads
    return best


def restores(problem: MemberTaskProblem, standbys: Standbys) -> int:
    """The standbys in processes without the state of their task."""
    return sum(
        problem.process_of[member] not in problem.state(task)
        for task, row in enumerate(standbys)
        for member in row
    )


def _is_even(problem: MemberTaskProblem, actives: PlacedActives, standbys: Standbys) -> bool:
    """Whether the copies of all members are within one of each other."""
    counts = Counter(actives.member) + Counter(member for row in standbys for member in row)
    numbers = [counts[m] for m in range(len(problem.member_ids))]
    return max(numbers) - min(numbers) <= 1


class _Dual:
    """The bound as a function of the prices, with its slope in each."""

    def __init__(self, problem: MemberTaskProblem, actives: PlacedActives, even: bool) -> None:
        self.problem, self.actives = problem, actives
        self.places = range(len(problem.processes))
        self.kinds = Counter(
            (problem.active[task], problem.state(task))
            for task in range(problem.tasks)
            if task not in problem.stateless
        )
        self.tight = {kind: self._tight(*kind) for kind in self.kinds}
        own = _ends(actives.stateful_prices, problem.stateful)
        every = _ends(actives.active_prices, problem.tasks)
        without = len(problem.stateless)
        both = list(zip(own, every, strict=True))
        own = [(max(s[0], t[0] - without), min(s[1], t[1])) for s, t in both]
        every = [(max(s[0], t[0]), min(s[1] + without, t[1])) for s, t in both]
        self.leads = [self._together(own, place) for place in self.places]
        self.copies = [(0, problem.stateful)] * len(self.places)
        if even:
            self.copies = [
                self._room(self._together(every, place), self.leads[place], place) for place in self.places
            ]

    def at(self, copy_prices: Sequence[int], lead_prices: Sequence[int]) -> tuple[int, list[list[int]]]:
        """The bound at these prices, and its slopes."""
        number_of, total = self.problem.following, 0
        slopes = [[0] * len(self.places), [0] * len(self.places)]
        for kind, number in self.kinds.items():
            held = [copy_prices[p] + SCALE * (p not in kind[1]) for p in self.places]
            order = sorted(self.places, key=held.__getitem__)
            inside, last = order[:number_of], order[number_of]
            rest = sum(held[p] for p in inside)
            value, lead = min(
                (
                    rest + (held[last] - held[p] if p in inside else 0) + copy_prices[p] + lead_prices[p],
                    p,
                )
                for p in self.tight[kind]
            )
            total += number * value
            slopes[1][lead] += number
            for p in {*inside, last} if lead in inside else {*inside, lead}:
                slopes[0][p] += number
        copies = self.problem.stateful * (1 + number_of)
        for prices, ends, slope, left in (
            (copy_prices, self.copies, slopes[0], copies),
            (lead_prices, self.leads, slopes[1], self.problem.stateful),
        ):
            total -= _bring_in(prices, ends, slope, left)
        return total, slopes

    def _tight(self, old: int | None, state: frozenset[int]) -> list[int]:
        """The processes where a task may run at its least payment."""
        problem, costs = self.problem, []
        for place, members in enumerate(problem.members_of):
            price = min(
                self.actives.stateful_prices[m] + self.actives.active_prices[m] + (old not in (None, m))
                for m in members
            )
            change = old is not None and problem.process_of[old] != place
            costs.append(price + dear(problem) * (RESTORE * (place not in state) + CHANGE * change))
        return [place for place in self.places if costs[place] == min(costs)]

    def _together(self, ends: Sequence[tuple[int, int]], place: int) -> tuple[int, int]:
        members = self.problem.members_of[place]
        return sum(ends[m][0] for m in members), sum(ends[m][1] for m in members)

    def _room(self, every: tuple[int, int], stateful: tuple[int, int], place: int) -> tuple[int, int]:
        """The fewest and the most copies of tasks with state in a process whose members are even."""
        problem, size = self.problem, len(self.problem.members_of[place])
        low = (problem.tasks + problem.stateful * problem.following) // len(problem.member_ids)
        fewest = max(0, every[0] - stateful[1])
        most = min(len(problem.stateless), every[1] - stateful[0])
        return max(0, size * low - most), min(problem.stateful, size * (low + 1) - fewest)


def _ends(prices: Sequence[int], number: int) -> list[tuple[int, int]]:
    """The fewest and the most tasks of each member where the prices collect the most."""
    each, more = divmod(number, len(prices))
    if not more:
        return [(each, each)] * len(prices)
    order = sorted(prices, reverse=True)
    return [(each + (price > order[more]), each + (price >= order[more - 1])) for price in prices]


def _bring_in(prices: Sequence[int], ends: Sequence[tuple[int, int]], slope: list[int], total: int) -> int:
    """The most that the prices collect; its counts are subtracted from the slope."""
    income, left = 0, total - sum(least for least, _ in ends)
    for place in sorted(range(len(prices)), key=lambda place: -prices[place]):
        least, most = ends[place]
        more = min(left, most - least)
        left -= more
        slope[place] -= least + more
        income += prices[place] * (least + more)
    return income

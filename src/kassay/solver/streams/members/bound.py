"""Prices by process that prove the least number of restores of any standbys (Lagrange's bound).

Where the active tasks pay the least, each runs where its price of the flow is least, and members with higher
prices have more: so standbys are bounded for all such active tasks at once, by a price for each copy in a
process and one for each active task with state.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Final

from kassay.solver.streams.members.actives import PlacedActives, dear
from kassay.solver.streams.members.problem import MemberTaskProblem
from kassay.solver.streams.members.standbys import Standbys
from kassay.solver.streams.optimum import CHANGE, RESTORE

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

"""Active tasks and standbys together: balance of both exactly, the cost of moving as an interval.

Goals: active tasks of each client near its share of threads, all copies of each client in the same way, then
the least cost: 3 for each copy on a client without the task's state (a restore), 1 for each active task that
leaves its client. Both balances are possible at once (where all clients have Q or Q + 1 copies some choice of
actives is within one, as with partition leaders); their joint cost is no network problem and its linear
relaxation is not always integral, so it gets an interval.

With OR-tools one linear programme solves both (`joint`), and is mostly integral. Otherwise the upper bound is
the better of two orders, each of two exact flows (`exchange`): copies first, then the active one among them;
or actives first, then standbys, which are best for those actives. Then both alternate until nothing improves;
last, standbys for those actives move to other racks where that costs no more. The lower bound comes from
prices on clients for copies and for actives (Lagrange's bound): for any prices, a task's cheapest choice,
prices included, less what the prices collect.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from kassay.solver.algorithms.convex import Quota
from kassay.solver.algorithms.exchange import Exchange, Prices, cheapest
from kassay.solver.streams.joint import Tariff, joint_tasks
from kassay.solver.streams.problem import TaskProblem

RESTORE: Final = 3
CHANGE: Final = 1
SCALE: Final = 16
"""Prices are whole numbers of 1 / SCALE of a cost."""
_STEPS: Final = 120
_TURNS: Final = 10
_SHARE_OF_FLOWS: Final = 0.6
_SOON_DONE: Final = 1000
"""The bound of this many tasks takes milliseconds, as little as a check of the time left."""
_SMALL: Final = 4000
"""With up to this many pairs of clients and tasks the flows are faster than loading OR-tools."""
_PRICES_MOST: Final = 4_000_000
"""At most this many prices of one client for one task are held in memory."""


_Prices = tuple[tuple[int, ...], tuple[int, ...]]
"""The prices of each client for copies, and for active tasks, in 1 / SCALE."""


@dataclass(frozen=True)
class Placed:
    """Each task's active client and standbys, by position."""

    active: tuple[int, ...]
    standby: tuple[frozenset[int], ...]


@dataclass(frozen=True)
class TaskOptimum:
    """The best joint assignment found: its cost is between `lower` and `upper`.

    `balanced` says whether both balances are proven best; otherwise `lower` has no meaning. The prices prove
    `lower`.
    """

    placed: Placed
    balanced: bool
    lower: int
    upper: int
    moved: int
    restores: int
    copy_prices: tuple[int, ...]
    active_prices: tuple[int, ...]

    @property
    def optimal(self) -> bool:
        """Whether everything is proven best."""
        return self.balanced and self.gap == 0

    @property
    def gap(self) -> int:
        """The difference between the cost and its bound."""
        return self.upper - self.lower


def dear(problem: TaskProblem) -> int:
    """The cost of one unit of imbalance: more than all restores and changes together."""
    return (RESTORE * problem.copies + CHANGE) * problem.tasks + 1


def quotas(problem: TaskProblem) -> tuple[Quota, Quota]:
    """The cost of a client's number of copies, and of its number of active tasks."""
    threads = [client.threads for client in problem.clients]
    copies, weight = problem.tasks * problem.copies, dear(problem)
    return Quota.plain(threads, copies, weight), Quota.plain(threads, problem.tasks, weight)


def best_tasks(problem: TaskProblem, time_limit_s: float = 10.0) -> TaskOptimum:
    """The best joint assignment found, and a bound on any.

    The alternating flows come first where they are fast, the programme for both at once (`joint`) where they
    are not, or leave an interval.
    """
    began = time.monotonic()
    deadline = began + time_limit_s
    flows = _Flows(problem, began + _SHARE_OF_FLOWS * time_limit_s)
    small = problem.tasks * len(problem.clients) <= _SMALL
    quick = _with_bound(flows, *_in_turns(flows), deadline) if small else None
    if quick is not None and quick.optimal:
        return quick
    joint = joint_tasks(problem, quotas(problem), Tariff(RESTORE, CHANGE, SCALE), flows.deadline)
    if joint is None:
        return quick or _with_bound(flows, *_in_turns(flows), deadline)
    both = _with_bound(flows, Placed(*joint[:2]), joint[2:], deadline)
    return min((each for each in (both, quick) if each), key=lambda each: (not each.balanced, each.gap))


def _with_bound(flows: _Flows, placed: Placed, prices: _Prices, deadline: float) -> TaskOptimum:
    """The assignment, with fewer racks shared where that is free, and the bound that these prices prove."""
    problem = flows.problem
    best = flows.apart_in_racks(placed)
    paid = flows.paid(best)
    balance = paid - cost(problem, best)
    prices, bound = _raise_bound(problem, prices, paid, deadline)
    # All costs together are less than `dear`, so a better balance would pay less than the bound.
    balanced = bound is not None and bound > balance - dear(problem)
    return TaskOptimum(
        best,
        balanced,
        max(0, bound - balance) if balanced and bound is not None else 0,
        cost(problem, best),
        changes(problem, best),
        restores(problem, best),
        *prices,
    )


def _in_turns(flows: _Flows) -> tuple[Placed, _Prices]:
    """The better of the two orders, improved alternately, and the flows' own prices in 1 / SCALE."""
    together, copy_prices, active_prices = flows.copies_first()
    candidates = [together]
    if not flows.late:
        apart, active_prices = flows.actives_first()
        candidates = [flows.improve(placed) for placed in (together, apart)]
    copies, actives = (tuple(price * SCALE for price in each) for each in (copy_prices, active_prices))
    return min(candidates, key=flows.paid), (copies, actives)


def restores(problem: TaskProblem, placed: Placed) -> int:
    """The copies on clients that do not hold the task's state."""
    return sum(
        len(({lead} | follow) - problem.state(task))
        for task, (lead, follow) in enumerate(zip(placed.active, placed.standby, strict=True))
    )


def changes(problem: TaskProblem, placed: Placed) -> int:
    """The active tasks that leave their client."""
    return sum(old not in (None, new) for old, new in zip(problem.active, placed.active, strict=True))


def cost(problem: TaskProblem, placed: Placed) -> int:
    """The cost of the restores and the changes of active client."""
    return RESTORE * restores(problem, placed) + CHANGE * changes(problem, placed)


def sharing(problem: TaskProblem, placed: Placed) -> int:
    """The copies in a rack where their task has another already."""
    count = 0
    for lead, follow in zip(placed.active, placed.standby, strict=True):
        racks = [problem.clients[c].rack for c in (lead, *follow) if problem.clients[c].rack is not None]
        count += len(racks) - len(set(racks))
    return count


def imbalance(quota: Quota, counts: Counter[int]) -> int:
    """The cost of all counts."""
    return sum(quota.cost(place, count) for place, count in counts.items())


class _Flows:
    """The exact flows of both orders."""

    def __init__(self, problem: TaskProblem, deadline: float) -> None:
        self.problem = problem
        self.deadline = deadline
        self.copy_quota, self.active_quota = quotas(problem)
        self.tasks = range(problem.tasks)
        self.clients = range(len(problem.clients))

    @property
    def late(self) -> bool:
        """Whether the flows' time is over."""
        return time.monotonic() > self.deadline

    def paid(self, placed: Placed) -> int:
        """Imbalance of both kinds and the cost."""
        actives = Counter(placed.active)
        copies = actives + Counter(c for row in placed.standby for c in row)
        balance = imbalance(self.copy_quota, copies) + imbalance(self.active_quota, actives)
        return balance + cost(self.problem, placed)

    def copies_first(self) -> tuple[Placed, tuple[int, ...], tuple[int, ...]]:
        """Copies with few restores, then actives among them with few changes; the prices of both."""
        problem = self.problem
        # A task whose active client loses its copy must change it: one client, one bonus, still linear.
        prices = [
            {c: -CHANGE if c == active else 0 for c in problem.state(t)}
            for t, active in enumerate(problem.active)
        ]
        graph = self._flow(prices, problem.copies, self.copy_quota, [RESTORE] * problem.tasks)
        placed, leads = self._actives_among(graph.picks)
        return placed, graph.prices(self.copy_quota.marginal), leads.prices(self.active_quota.marginal)

    def _actives_among(self, picks: Sequence[set[int]]) -> tuple[Placed, Exchange]:
        olds = self.problem.active
        prices = [{c: self._change(olds[t], c) for c in picks[t]} for t in self.tasks]
        leads = self._flow(prices, 1, self.active_quota)
        active = tuple(next(iter(lead)) for lead in leads.picks)
        return Placed(active, tuple(frozenset(picks[t] - {active[t]}) for t in self.tasks)), leads

    @staticmethod
    def _change(old: int | None, client: int) -> int:
        return CHANGE if old is not None and client != old else 0

    def actives_first(self) -> tuple[Placed, tuple[int, ...]]:
        """Actives with few changes and restores, then standbys with few restores; the prices of actives."""
        problem = self.problem
        olds = problem.active
        moving = [0 if old is None else CHANGE for old in olds]
        prices = [{c: self._change(olds[t], c) for c in problem.state(t)} for t in self.tasks]
        leads = self._flow(prices, 1, self.active_quota, [RESTORE + change for change in moving])
        staying = [{} if old is None else {old: 0} for old in olds]
        plain = self._flow(staying, 1, self.active_quota, moving)
        active = tuple(next(iter(lead)) for lead in leads.picks)
        return self._standbys_beside(active), plain.prices(self.active_quota.marginal)

    def apart_in_racks(self, placed: Placed) -> Placed:
        """The same actives with standbys that share fewer racks, where that costs no more."""
        problem = self.problem
        mates = sum(map(len, self._mates)) // len(self.clients)
        if self.late or mates * problem.tasks > _PRICES_MOST or not sharing(problem, placed):
            return placed
        others = self._standbys_beside(placed.active, racks=True)
        return min((placed, others), key=lambda each: (self.paid(each), sharing(problem, each)))

    def _standbys_beside(self, active: tuple[int, ...], racks: bool = False) -> Placed:
        problem = self.problem
        if problem.copies == 1:
            return Placed(active, (frozenset(),) * problem.tasks)
        counts, quota = Counter(active), self.copy_quota
        # With racks a restore outweighs all copies that could share one.
        scale = 1 + problem.tasks if racks else 1
        held = [counts[c] for c in self.clients]
        others = Quota(quota.shares, quota.total, quota.weight * scale, held, quota.room)
        prices: list[Prices] = []
        for t, lead in enumerate(active):
            near = self._mates[lead] if racks else ()
            row: dict[int, int | None] = dict.fromkeys(near, RESTORE * scale + 1)
            row.update((c, int(racks and problem.together(c, lead))) for c in problem.state(t))
            prices.append(row | {lead: None})
        graph = self._flow(prices, problem.copies - 1, others, [RESTORE * scale] * problem.tasks)
        return Placed(active, tuple(frozenset(picked) for picked in graph.picks))

    def improve(self, placed: Placed) -> Placed:
        """Improve the actives among the copies and the standbys for the actives, alternately."""
        best = placed
        for _ in range(_TURNS):
            if self.late:
                break
            copies = [{lead, *follow} for lead, follow in zip(best.active, best.standby, strict=True)]
            among, _ = self._actives_among(copies)
            better = min((best, among, self._standbys_beside(among.active)), key=self.paid)
            if self.paid(better) == self.paid(best):
                break
            best = better
        return best

    @cached_property
    def _mates(self) -> list[list[int]]:
        """For each client the clients in its rack."""
        together = self.problem.together
        return [[c for c in self.clients if together(c, other)] for other in self.clients]

    def _flow(
        self,
        prices: Sequence[Prices],
        picks: int,
        quota: Quota,
        elsewhere: Sequence[int | None] | None = None,
    ) -> Exchange:
        return cheapest(len(self.clients), prices, picks, quota.marginal, self.deadline, elsewhere)


def _raise_bound(
    problem: TaskProblem, start: _Prices, goal: int, deadline: float
) -> tuple[_Prices, int | None]:
    """Prices (in 1 / SCALE) with a high bound, by subgradient steps from the start; and the bound.

    The bound is None if there is no time for it and it would not be fast.
    """
    if time.monotonic() > deadline and problem.tasks > _SOON_DONE:
        return start, None
    dual = _Dual(problem)
    began = time.monotonic()
    copies, actives = (list(map(float, each)) for each in start)
    best: tuple[int, _Prices] | None = None
    for step in range(_STEPS):
        rounded = (tuple(map(round, copies)), tuple(map(round, actives)))
        value, copy_slope, active_slope = dual.at(*rounded)
        if best is None or value > best[0]:
            best = (value, rounded)
        length = sum(s * s for s in copy_slope) + sum(s * s for s in active_slope)
        # Another step takes about as long as those before.
        now = time.monotonic()
        if -(-best[0] // SCALE) >= goal or not length or now + (now - began) / (step + 1) > deadline:
            break
        pace = 1.2 * 0.97**step * max(goal * SCALE - value, 1) / length
        copies = [price + pace * s for price, s in zip(rounded[0], copy_slope, strict=True)]
        actives = [price + pace * s for price, s in zip(rounded[1], active_slope, strict=True)]
    assert best is not None
    return best[1], -(-best[0] // SCALE)


class _Dual:
    """The bound as a function of the prices, with its slope in each."""

    def __init__(self, problem: TaskProblem) -> None:
        self.problem = problem
        self.kinds = Counter(zip(problem.active, problem.standby, strict=True))
        self.quotas = quotas(problem)

    def at(
        self, copy_prices: Sequence[int], active_prices: Sequence[int]
    ) -> tuple[int, list[int], list[int]]:
        """The bound at these prices (in 1 / SCALE) and its slopes."""
        clients, copies = range(len(self.problem.clients)), self.problem.copies
        total = 0
        slopes = ([0] * len(clients), [0] * len(clients))
        by_copy = sorted(clients, key=copy_prices.__getitem__)
        by_both = sorted(by_copy, key=lambda c: copy_prices[c] + active_prices[c])
        for (old, standby), number in self.kinds.items():
            special = set(standby) if old is None else {*standby, old}
            # Clients without state differ by prices alone: the first of them suffice.
            most = copies + len(special) + 1
            near = special.union(by_copy[:most], by_both[:most])
            held = {c: copy_prices[c] + (0 if c in special else RESTORE * SCALE) for c in near}
            lead_at = {
                c: active_prices[c] + (CHANGE * SCALE if old is not None and c != old else 0) for c in near
            }
            order = sorted(sorted(near), key=held.__getitem__)
            inside, last = order[:copies], order[copies - 1]
            # The active client is among the cheapest, or replaces the most expensive of them.
            lead = min(inside, key=lead_at.__getitem__)
            others = order[copies:]
            other = min(others, key=lambda c: held[c] + lead_at[c], default=None)
            value = sum(held[c] for c in inside) + lead_at[lead]
            if other is not None and held[other] + lead_at[other] - held[last] < lead_at[lead]:
                value += held[other] + lead_at[other] - held[last] - lead_at[lead]
                inside, lead = [*inside[:-1], other], other
            total += number * value
            for c in inside:
                slopes[0][c] += number
            slopes[1][lead] += number
        for quota, prices, slope in zip(self.quotas, (copy_prices, active_prices), slopes, strict=True):
            for c in clients:
                value, count = _least(quota, c, prices[c], self.problem.tasks)
                total += value
                slope[c] -= count
        return total, *slopes


def _least(quota: Quota, place: int, price: int, most: int) -> tuple[int, int]:
    """The least of SCALE * cost - price * count over the counts, and the count."""
    unit = SCALE * quota.weight
    scale, lean = quota.scale, 2 * quota.total * quota.shares[place]
    near = (price + unit * lean) // (2 * unit * scale)
    counts = {min(max(count, 0), most) for count in (near, near + 1)}
    return min((unit * (scale * n * n - lean * n) - price * n, n) for n in counts)

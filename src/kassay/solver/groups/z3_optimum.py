"""The second solver: the hub network in linear real arithmetic, by Z3; suitable up to about 50 x 500.

The load levels are given, as they are to the flow; owners come from two `minimize` calls (movement and racks
in the given order) over real flow variables. A vertex of a network is integral, which is asserted, not
assumed. Prices come from a separate query: a point that satisfies the inequalities of the dual, each a
difference of two unknowns against a whole number, so rounding down keeps it valid. The certificate is judged
by the same checker as the flow's.
Z3 on flow variables proves in about a second what it cannot prove in minutes with one Boolean for each
partition and member (pigeonholes).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import z3  # type: ignore[import-untyped]

from kassay.solver.algorithms.levels import Level, level_numbers, levels
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.groups.hub import Aggregate, UnitClass, aggregate, mismatch
from kassay.solver.groups.optimum import Optimum, certified, require_polynomial, restricted, weigh
from kassay.solver.groups.problem import Problem
from kassay.solver.results import NO_OWNER, OutOfTimeError

_ENDLESS_MS: Final = (1 << 32) - 1

Pool = tuple[tuple[int, ...], tuple[frozenset[str], ...]]


def z3_optimum(
    problem: Problem, order: tuple[str, ...] = MOVEMENT_FIRST, time_limit: float | None = None
) -> Optimum:
    """The certified optimum, found by Z3 alone once the levels are known.

    Raises `OutOfTimeError` when `time_limit` seconds are over, `NotPolynomialError` as the flow does.
    """
    require_polynomial(problem)
    deadline = None if time_limit is None else time.monotonic() + time_limit
    counted = aggregate(problem)
    by_weight = levels(len(problem.members), counted.sets, counted.counts)
    level_of = level_numbers(by_weight, len(problem.members))
    last = restricted(counted, level_of)
    owner = [NO_OWNER] * counted.units
    for number, level in enumerate(by_weight):
        classes = [each for each in counted.classes if last[each.readers][0] == number]
        model = _LevelModel(problem, level, [members for _, members in last], classes)
        model.solve(order, deadline, owner)
    prices = z3_prices(problem, counted, by_weight, owner, order, deadline)
    return certified(problem, order, problem.owners_by_topic(owner), level_of, prices)


def milliseconds_left(deadline: float | None) -> int:
    """The milliseconds left for Z3, its maximum for no limit; raises `OutOfTimeError` when none is left."""
    if deadline is None:
        return _ENDLESS_MS
    left = int((deadline - time.monotonic()) * 1000)
    if left <= 0:
        raise OutOfTimeError("the time limit is spent")
    return left


@dataclass
class _LevelModel:
    """The flows of one level as reals."""

    problem: Problem
    level: Level
    takers: Sequence[tuple[int, ...]]
    classes: Sequence[UnitClass]

    def solve(self, order: tuple[str, ...], deadline: float | None, owner: list[int]) -> None:
        """Write the owners of this level's units."""
        z3.set_param("model.completion", True)
        optimize = z3.Optimize()
        optimize.set("timeout", milliseconds_left(deadline))
        self._state(optimize)
        objectives = [z3.Sum(self.moves), z3.Sum(self.wrong)]
        for objective in objectives if order == MOVEMENT_FIRST else objectives[::-1]:
            optimize.minimize(objective)
        if optimize.check() != z3.sat:
            raise OutOfTimeError(f"Z3 gave up: {optimize.reason_unknown()}")
        self._read(optimize.model(), owner)

    def _flow(self, optimize: Any, name: str) -> Any:
        flow = z3.Real(name)
        optimize.add(flow >= 0)
        return flow

    def _state(self, optimize: Any) -> None:
        racks = [member.rack for member in self.problem.members]
        inside = set(self.level.members)
        into: dict[int, list[Any]] = {m: [] for m in self.level.members}
        self.moves: list[Any] = [z3.RealVal(0)]
        self.wrong: list[Any] = [z3.RealVal(0)]
        self.kept: list[tuple[UnitClass, list[tuple[int, Any]], Any]] = []
        self.pools: dict[Pool, list[Any]] = {}
        for c, each in enumerate(self.classes):
            kept = [(m, had, self._flow(optimize, f"keep_{c}_{m}")) for m, had in each.kept if m in inside]
            spill = self._flow(optimize, f"spill_{c}")
            optimize.add(z3.Sum([spill, *(flow for _, _, flow in kept)]) == len(each.units))
            for m, had, flow in kept:
                into[m].append(flow)
                self.moves.append((each.owned - had) * flow)
                self.wrong.append(mismatch(each.racks, racks[m]) * flow)
            self.moves.append(each.owned * spill)
            self.kept.append((each, [(m, flow) for m, _, flow in kept], spill))
            self.pools.setdefault((self.takers[each.readers], each.racks), []).append(spill)
        self._state_hubs(optimize, racks, into)
        for flows in into.values():
            load = z3.Sum([z3.RealVal(0), *flows])
            optimize.add(load >= self.level.low, load <= self.level.low + (self.level.high > 0))

    def _state_hubs(self, optimize: Any, racks: Sequence[str | None], into: dict[int, list[Any]]) -> None:
        arrivals: dict[tuple[tuple[int, ...], str | None], list[Any]] = {}
        self.routes: list[tuple[Pool, str | None, Any]] = []
        for number, ((takers, known), spills) in enumerate(self.pools.items()):
            out = []
            for k, rack in enumerate(dict.fromkeys(racks[m] for m in takers)):
                flow = self._flow(optimize, f"route_{number}_{k}")
                out.append(flow)
                arrivals.setdefault((takers, rack), []).append(flow)
                self.wrong.append(mismatch(known, rack) * flow)
                self.routes.append(((takers, known), rack, flow))
            optimize.add(z3.Sum(out) == z3.Sum(spills))
        self.handed: list[tuple[tuple[int, ...], str | None, int, Any]] = []
        for number, ((takers, rack), flows) in enumerate(arrivals.items()):
            out = []
            for m in takers:
                if racks[m] == rack:
                    flow = self._flow(optimize, f"hand_{number}_{m}")
                    out.append(flow)
                    into[m].append(flow)
                    self.handed.append((takers, rack, m, flow))
            optimize.add(z3.Sum(out) == z3.Sum(flows))

    def _read(self, model: Any, owner: list[int]) -> None:
        def whole(flow: Any) -> int:
            value = model.eval(flow, model_completion=True)
            if value.denominator_as_long() != 1:
                raise AssertionError(f"a vertex of a network with {flow} = {value}")
            return int(value.numerator_as_long())

        waiting: dict[Pool, list[int]] = {}
        for each, kept, _ in self.kept:
            first = 0
            for m, flow in kept:
                for unit in each.units[first : first + whole(flow)]:
                    owner[unit] = m
                first += whole(flow)
            waiting.setdefault((self.takers[each.readers], each.racks), []).extend(each.units[first:])
        hubs: dict[tuple[tuple[int, ...], str | None], list[int]] = {}
        for pool, rack, flow in self.routes:
            units = [waiting[pool].pop() for _ in range(whole(flow))]
            hubs.setdefault((pool[0], rack), []).extend(units)
        for takers, rack, m, flow in self.handed:
            for _ in range(whole(flow)):
                owner[hubs[takers, rack].pop()] = m


def z3_prices(
    problem: Problem,
    counted: Aggregate,
    by_weight: Sequence[Level],
    owner: Sequence[int],
    order: tuple[str, ...],
    deadline: float | None = None,
) -> list[int]:
    """Prices that prove these owners cheapest; raises `AssertionError` if there are none.

    No owner of a unit can be undercut: its cost + price is at most that of every member that may take the
    unit. And members with the larger load of their level have the larger prices.
    """
    solver = z3.SimpleSolver()
    solver.set("timeout", milliseconds_left(deadline))
    price = [z3.Real(f"price_{m}") for m in range(len(problem.members))]
    racks = [member.rack for member in problem.members]
    move, wrong = weigh(problem, order)
    loads = [0] * len(price)
    for m in owner:
        loads[m] += 1
    for number, level in enumerate(by_weight):
        bar = z3.Real(f"bar_{number}")
        for m in level.members:
            if level.high:
                solver.add(price[m] >= bar if loads[m] > level.low else price[m] <= bar)
    last = restricted(counted, level_numbers(by_weight, len(price)))
    cheapest: dict[tuple[tuple[int, ...], str | None], Any] = {}
    for takers in dict.fromkeys(members for _, members in last):
        for m in takers:
            hub = cheapest.setdefault((takers, racks[m]), z3.Real(f"hub_{len(cheapest)}"))
            solver.add(hub <= price[m])
    pools: dict[Pool, Any] = {}
    for c, each in enumerate(counted.classes):
        takers = last[each.readers][1]
        pool = pools.get((takers, each.racks))
        if pool is None:
            pool = pools[takers, each.racks] = z3.Real(f"pool_{len(pools)}")
            for rack in dict.fromkeys(racks[m] for m in takers):
                solver.add(pool <= cheapest[takers, rack] + wrong * mismatch(each.racks, rack))
        value = z3.Real(f"class_{c}")
        had = dict(each.kept)
        solver.add(value <= pool + move * each.owned)
        costs = {
            m: move * (each.owned - had.get(m, 0)) + wrong * mismatch(each.racks, racks[m])
            for m in {*had, *(owner[unit] for unit in each.units)} & set(takers)
        }
        used = {owner[unit] for unit in each.units}
        for m, cost in sorted(costs.items()):
            solver.add(value <= price[m] + cost)
            if m in used:
                solver.add(value >= price[m] + cost)
    verdict = solver.check()
    if verdict == z3.unknown:
        raise OutOfTimeError(f"Z3 gave up: {solver.reason_unknown()}")
    if verdict != z3.sat:
        raise AssertionError("no prices support these owners: they are not the cheapest")
    model = solver.model()
    values = [model.eval(each, model_completion=True) for each in price]
    return [int(value.numerator_as_long() // value.denominator_as_long()) for value in values]

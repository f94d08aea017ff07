"""The plain model: one Boolean for each partition and member, three objectives, nothing precomputed.

Balance is the sum of squared loads, written as 1 + 3 + 5 + ... over Booleans "m has at least k units"
(least sum of squares and lexicographically least sorted loads are the same, theorem 1 of
`levels`). Independent of levels, hubs and flows, and good to about 5 x 15; the oracle for tests.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import z3  # type: ignore[import-untyped]

from kassay.solver.algorithms.levels import level_numbers, levels
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.groups.hub import aggregate, mismatch
from kassay.solver.groups.optimum import Optimum, certified, require_polynomial
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.z3_optimum import milliseconds_left, z3_prices
from kassay.solver.results import OutOfTimeError


def plain_owners(
    problem: Problem, order: tuple[str, ...] = MOVEMENT_FIRST, time_limit: float | None = None
) -> list[int]:
    """The owner of each unit in an optimal assignment; raises `OutOfTimeError` when time is up."""
    require_polynomial(problem)
    deadline = None if time_limit is None else time.monotonic() + time_limit
    counted = aggregate(problem)
    racks = [member.rack for member in problem.members]
    optimize = z3.Optimize()
    optimize.set("timeout", milliseconds_left(deadline))
    takes: dict[int, dict[int, Any]] = {}
    moves: list[Any] = [z3.IntVal(0)]
    wrong: list[Any] = [z3.IntVal(0)]
    for each in counted.classes:
        had = dict(each.kept)
        for unit in each.units:
            choice = {m: z3.Bool(f"take_{unit}_{m}") for m in counted.sets[each.readers]}
            takes[unit] = choice
            optimize.add(z3.PbEq([(taken, 1) for taken in choice.values()], 1))
            for m, taken in choice.items():
                moves.append(z3.If(taken, each.owned - had.get(m, 0), 0))
                wrong.append(z3.If(taken, mismatch(each.racks, racks[m]), 0))
    squares = _squares(optimize, takes, len(problem.members))
    optimize.minimize(squares)
    objectives = [z3.Sum(moves), z3.Sum(wrong)]
    for objective in objectives if order == MOVEMENT_FIRST else objectives[::-1]:
        optimize.minimize(objective)
    if optimize.check() != z3.sat:
        raise OutOfTimeError(f"Z3 gave up: {optimize.reason_unknown()}")
    model = optimize.model()
    return [
        next(m for m, taken in takes[unit].items() if z3.is_true(model.eval(taken))) for unit in sorted(takes)
    ]


def _squares(optimize: Any, takes: dict[int, dict[int, Any]], members: int) -> Any:
    """The sum of squared loads: the k-th unit of a member adds 2k - 1."""
    terms: list[Any] = [z3.IntVal(0)]
    for m in range(members):
        taken = [choice[m] for choice in takes.values() if m in choice]
        steps = [z3.Bool(f"has_{m}_{k}") for k in range(1, len(taken) + 1)]
        for lower, higher in pairwise(steps):
            optimize.add(z3.Implies(higher, lower))
        optimize.add(z3.Sum([z3.If(t, 1, 0) for t in taken]) == z3.Sum([z3.If(s, 1, 0) for s in steps]))
        terms += [z3.If(step, 2 * k - 1, 0) for k, step in enumerate(steps, 1)]
    return z3.Sum(terms)


def plain_optimum(
    problem: Problem, order: tuple[str, ...] = MOVEMENT_FIRST, time_limit: float | None = None
) -> Optimum:
    """The plain model's answer as a certified optimum: levels and prices are the proof, not the search."""
    owner = plain_owners(problem, order, time_limit)
    counted = aggregate(problem)
    found = levels(len(problem.members), counted.sets, counted.counts)
    prices = z3_prices(problem, counted, found, owner, order)
    level_of = level_numbers(found, len(problem.members))
    return certified(problem, order, problem.owners_by_topic(owner), level_of, prices)

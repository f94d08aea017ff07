"""Consumer groups and share groups as linear models.

Partitions of equal weight: the sum of squared loads, which is least where the sorted loads are. Otherwise,
and within a budget, sorted loads one after another: the sum of the k heaviest is the least
k * t + the sum of what members carry above t (Ogryczak and Tamir, 2003).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from kassay.solver.groups.problem import Problem
from kassay.solver.groups.shares import ShareProblem
from kassay.solver.linear.model import Goals, LinearModel, Objective, Part, Terms, named, squares
from kassay.solver.packing.items import Packing


def consumer_models(problem: Problem, result: dict[str, Any]) -> Iterator[LinearModel]:
    """The model of a consumer group: `x_i_m` is 1 where the i-th item is on the m-th member."""
    packing, part, goals = Packing.of(problem), Part(), Goals(result["goals"])
    loads: list[Terms] = [[] for _ in problem.members]
    moves: Terms = []
    racks: Terms = []
    for i, item in enumerate(packing.items):
        names = [part.column(f"x_{i}_{m}") for m in item.able]
        part.row([(name, 1) for name in names], "E", 1)
        for name, m in zip(names, item.able, strict=True):
            loads[m].append((name, item.weight))
            moves += [(name, cost)] if (cost := item.moved(m)) else []
            racks += [(name, wrong)] if (wrong := packing.mismatch(item, m)) else []
    budget = result["certificate"].get("budget")
    if budget is not None:
        part.row(moves, "L", budget)
    if "heaviest" in goals:
        for load in loads:
            part.row(load, "L", goals["heaviest"]["limit"])
        levels = []
    elif packing.even and budget is None:
        levels = [_squared(packing, loads, goals)]
    else:
        levels = list(_sorted_loads(loads, goals["balance"]))
    costs = {"movement": moves, "rack": racks}
    levels += [Objective(name, costs[name], value=goals.proven(name)) for name in goals if name in costs]
    members = named("member", (member.member_id for member in problem.members))
    yield LinearModel([*members, *named("item", _items(problem))], part, levels)


def _items(problem: Problem) -> Iterator[str]:
    """The partitions of each item, as `packing.items` has them."""
    for bundle in problem.bundles:
        for number in range(bundle[0].partitions):
            yield " ".join(f"{topic.name}-{number}" for topic in bundle)


def _squared(packing: Packing, loads: Sequence[Terms], goals: Goals) -> Objective:
    """The sum of squared loads, where all items weigh the same."""
    weight = packing.weights[0] if packing.weights else 1
    value = sum(load * load for load in goals["balance"]["value"])
    level = Objective("balance", value=value if goals["balance"]["proven"] else None)
    for m, load in enumerate(loads):
        costs = [weight * weight * cost for cost in squares(0, len(load))]
        level.terms += level.steps(f"n_{m}", [(name, 1) for name, _ in load], costs)
    return level


def _sorted_loads(loads: Sequence[Terms], goal: Mapping[str, Any]) -> Iterator[Objective]:
    """The sums of the heaviest, the two heaviest ... loads; the sum of all is the same everywhere."""
    proven = len(loads) if goal["proven"] else goal["parts_at"] - 1
    sums = list(accumulate(goal["value"]))
    for k in range(1, max(2, len(loads))):
        level = Objective(f"heaviest {k}", value=sums[k - 1] if k <= proven else None)
        level.real[f"t_{k}"] = None
        level.terms.append((f"t_{k}", k))
        for m, load in enumerate(loads):
            above = f"d_{k}_{m}"
            level.real[above] = None
            level.terms.append((above, 1))
            level.row([*load, (f"t_{k}", -1), (above, -1)], "L", 0)
        yield level


def share_models(problem: ShareProblem, result: dict[str, Any]) -> Iterator[LinearModel]:
    """The model of a share group: `x_i_m` is 1 where the m-th member has a copy of the i-th partition.

    Sharing and balance are constraints.
    """
    part, moves, held = Part(), Terms(), 0
    partitions = [tp for shared in problem.parts for tp in shared.partitions]
    number = {tp: i for i, tp in enumerate(partitions)}
    for shared in problem.parts:
        counts: dict[int, Terms] = {m: [] for m in shared.readers}
        for tp in shared.partitions:
            names = [part.column(f"x_{number[tp]}_{m}") for m in shared.readers]
            part.row([(name, 1) for name in names], "E", shared.copies)
            for name, m in zip(names, shared.readers, strict=True):
                counts[m].append((name, 1))
                if tp in problem.members[m].owned:
                    moves.append((name, -1))
                    held += 1
        for count in counts.values():
            part.row(count, "G", shared.least)
            part.row(count, "L", shared.least + (shared.longer > 0))
    level = Objective("movement", moves, held, Goals(result["goals"]).proven("movement"))
    members = named("member", (member.member_id for member in problem.members))
    yield LinearModel([*members, *named("partition", map(str, partitions))], part, [level])

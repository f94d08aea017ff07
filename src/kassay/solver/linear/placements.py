"""A placement of replicas as linear models: its replicas, then the leaders of the replicas that were chosen.

Leaders are the best for given replicas, so their model has those of the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kassay.solver.linear.model import Goals, LinearModel, Objective, Part, Terms, named, squares
from kassay.solver.placement.problem import Broker, PlacementProblem


def placement_models(problem: PlacementProblem, result: dict[str, Any]) -> Iterator[LinearModel]:
    """The models: `x_p_b` is 1 where broker b has a replica of partition p, `l_p_b` where it leads p."""
    goals = Goals(result["goals"])
    names = [
        *named("broker", (broker.id for broker in problem.brokers)),
        *named("partition", (str(tp) for tp, _, _ in problem.partitions())),
    ]
    yield LinearModel(names, *_replicas(problem, goals))
    if goals["movement"]["proven"]:
        rows = [row for topic in problem.topics for row in result["assignment"][topic.name]]
        yield LinearModel(["leaders of the replicas of the result", *names], *_leaders(problem, rows, goals))


def _replicas(problem: PlacementProblem, goals: Goals) -> tuple[Part, list[Objective]]:
    part, brokers = Part(), problem.brokers
    racks = problem.racks or (0,) * len(brokers)
    counts: list[Terms] = [[] for _ in brokers]
    copies: Terms = []
    for p, ((_, rf, _), held) in enumerate(zip(problem.partitions(), problem.held, strict=True)):
        by_rack: dict[int, Terms] = {rack: [] for rack in sorted(set(racks))}
        for b, broker in enumerate(brokers):
            if broker.cordoned and b not in held:
                continue
            name = part.column(f"x_{p}_{b}")
            by_rack[racks[b]].append((name, 1))
            counts[b].append((name, 1))
            copies += [] if b in held else [(name, 1)]
        part.row([term for terms in by_rack.values() for term in terms], "E", rf)
        spread = problem.spread(rf)
        for terms in by_rack.values() if len(by_rack) > 1 else ():
            if spread.least:
                part.row(terms, "G", spread.least)
            if spread.most < len(terms):
                part.row(terms, "L", spread.most)
    for broker, count in zip(brokers, counts, strict=True):
        if broker.max_replicas is not None:
            part.row(count, "L", broker.max_replicas - broker.base)
    balance = _balance(
        "balance of replicas", brokers, counts, [broker.base for broker in brokers], problem.total
    )
    balance.value = goals.proven("balance of replicas")
    return part, [balance, Objective("movement", copies, value=goals.proven("movement"))]


def _leaders(
    problem: PlacementProblem, rows: Sequence[Sequence[int]], goals: Goals
) -> tuple[Part, list[Objective]]:
    part, brokers = Part(), problem.brokers
    place = {broker.id: b for b, broker in enumerate(brokers)}
    fenced = {broker.id for broker in brokers if broker.fenced}
    counts: list[Terms] = [[] for _ in brokers]
    kept, led = Terms(), 0
    for p, (row, (_, _, old)) in enumerate(zip(rows, problem.partitions(), strict=True)):
        able = [place[id_] for id_ in row if id_ not in fenced] or [place[id_] for id_ in row]
        names = {b: part.column(f"l_{p}_{b}") for b in sorted(able)}
        part.row([(name, 1) for name in names.values()], "E", 1)
        for b, name in names.items():
            counts[b].append((name, 1))
        if old and old[0] in place:
            led += 1
            kept += [(names[b], -1)] if (b := place[old[0]]) in names else []
    balance = _balance("balance of leaders", brokers, counts, [0] * len(brokers), len(rows))
    balance.value = goals.proven("balance of leaders")
    return part, [balance, Objective("changes of leader", kept, led, goals.proven("changes of leader"))]


def _balance(
    name: str, brokers: Sequence[Broker], counts: Sequence[Terms], base: Sequence[int], total: int
) -> Objective:
    """The sum of squared counts; with unequal shares of (count * all shares - total * own share)."""
    level = Objective(name)
    shares = [broker.share for broker in brokers]
    every = sum(shares)
    for b, (share, count, first) in enumerate(zip(shares, counts, base, strict=True)):
        units = squares(first, first + len(count))
        if len(set(shares)) == 1:
            level.constant += first * first
        else:
            level.constant += (first * every - total * share) ** 2
            units = [every * every * unit - 2 * every * total * share for unit in units]
        level.terms += level.steps(f"n_{b}", count, units)
    return level

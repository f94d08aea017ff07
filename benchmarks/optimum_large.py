"""Optima of large groups and placements beside plain OR-tools, tasks, and documents, in one run.

    python -m benchmarks.optimum_large                         all rows
    python -m benchmarks.optimum_large --rows ladder,groups --runs 3

The peer gets the levels and lays out hubs as a user of OR-tools would: a node for each class of like
partitions with arcs to who had them and to a pool, whence what moves goes by racks to members; one call of
numpy and one of `SimpleMinCostFlow` a level. Ours includes levels, layout, flow, potentials, owners, prices
and the independent check. Both get the problem parsed; imports are outside the clock, and CPU seconds of this
process are counted. The costs must agree. Placements are those of `benchmarks/placement_optimum`: ours from
the document to the accepted certificate, leaders included, the peer two flows without a proof; copies must
agree. Of brokers with unequal shares, which need two flows for replicas alone, the peer solves those with
equal ones. Tasks have no peer: the ratio is to the seconds that they may take, of clients without racks,
since fewest racks are found by a search. The other rows say what it takes to read a problem, to write its
result and to check that, as multiples of the optimum between.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks import placement_optimum
from kassay.reading.documents import no_collection, parse_json
from kassay.solver.algorithms import bulk_flow
from kassay.solver.algorithms.levels import Level, level_numbers, leveled
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.check.check import Checked, Outcome, check_certificate, require_accepted
from kassay.solver.groups.hub import UnitClass, aggregate, mismatch
from kassay.solver.groups.optimum import Optimum, best_assignment, restricted, weigh
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import optimum_certificate
from kassay.solver.instances.brokers_and_tasks import placement, tasks
from kassay.solver.instances.families import Wanted, solve_document
from kassay.solver.instances.groups import consumer
from kassay.solver.packing.items import Terms
from kassay.solver.packing.optimum import solve_packing
from kassay.writing.files import plain_bytes

LADDER = 400
MANY = 20_000
"""From so many partitions on a placement is timed once."""
MOST = 1 << 24
"""More than any arc carries, and not more than OR-tools can add up."""


def ladder(members: int, partitions: int) -> dict[str, Any]:
    """Member i reads topics 0 to i of 10 partitions each; any reader may have had a partition."""
    topics = partitions // 10
    owned: list[list[list[Any]]] = [[] for _ in range(members)]
    for topic in range(topics):
        for partition in range(10):
            owned[topic + (7 * topic + 31 * partition) % (members - topic)].append(
                [f"t{topic:04d}", partition]
            )
    return {
        "family": "A",
        "members": [
            {"id": f"m{m:04d}", "topics": [f"t{t:04d}" for t in range(m + 1)], "owned": owned[m]}
            for m in range(members)
        ],
        "topics": [{"name": f"t{t:04d}", "partitions": 10} for t in range(topics)],
    }


def of_shape(shape: str) -> Callable[[int, int], dict[str, Any]]:
    """Instances of that shape as in the suite `large`."""

    def document(members: int, partitions: int) -> dict[str, Any]:
        topics, change = min(200, partitions // 50), members // 20
        return consumer(shape, 1, members=members, partitions=partitions, topics=topics, change=change)

    return document


def many_racks(members: int, partitions: int) -> dict[str, Any]:
    """100 racks: most partitions have other racks than any before, which the checker has to look at."""
    return consumer("racks", 1, members=members, partitions=partitions, topics=50, racks=100)


ROWS: dict[str, tuple[Callable[[int, int], dict[str, Any]], int, int]] = {
    "ladder": (ladder, LADDER, 10 * LADDER),
    "nested": (of_shape("nested"), 300, 30_000),
    "groups": (of_shape("groups"), 100, 10_000),
    "random": (of_shape("random"), 300, 30_000),
    "equal": (of_shape("join"), 1_000, 100_000),
    "racks-100": (many_racks, 10_000, 100_000),
    "equal-5x": (of_shape("join"), 5_000, 500_000),
}
PEERED = ("ladder", "nested", "groups", "random")
PLACEMENTS = {
    "placement-48": ("add", 48, 1_000),
    "placement-100": ("add", 100, 3_000),
    "placement-200": ("add", 200, 10_000),
    "placement-1000": ("add", 1_000, 100_000),
    "skewed-200": ("skewed", 200, 10_000),
    "skewed-1000": ("skewed", 1_000, 100_000),
    "shares-200": ("shares", 200, 10_000),
    "shares-1000": ("shares", 1_000, 100_000),
}
"""Shapes; of `shares` brokers have 1, 2 or 3, and the peer solves `skewed`: only equal shares are plain."""
TASKS = {"tasks-40": (40, 600, 5), "tasks-100": (100, 2_000, 20), "tasks-200": (200, 5_000, 60)}
"""Clients, tasks, and the seconds that an optimum may take."""
WEIGHTS = {"weights-50": (50, 2_000), "weights-200": (200, 20_000)}
"""Members and partitions of ten weights; the tenth of the members is new."""
HEAD = f"{'':24}{'ours, s':>10}{'OR-tools, s':>13}{'ratio':>8}{'goal':>7}"


class Plain:
    """One level as a network for OR-tools: classes of like partitions, pools of what moves, members."""

    def __init__(self, members: Sequence[int], racks: Sequence[str | None], move: int, wrong: int) -> None:
        self.node = {m: node for node, m in enumerate(members)}
        self.racks, self.move, self.wrong = racks, move, wrong
        self.arcs: list[tuple[int, int, int, int]] = []
        self.supply: list[int] = [0] * len(members)
        self.hubs: dict[tuple[tuple[int, ...], tuple[frozenset[str], ...] | str | None], int] = {}

    def new(self, supply: int = 0) -> int:
        self.supply.append(supply)
        return len(self.supply) - 1

    def add(self, each: UnitClass, takers: tuple[int, ...]) -> None:
        units = len(each.units)
        node = self.new(units)
        for m, had in each.kept:
            if m in self.node:
                price = self.move * (each.owned - had) + self.wrong * mismatch(each.racks, self.racks[m])
                self.arcs.append((node, self.node[m], units, price))
        pool = self.hubs.get((takers, each.racks))
        if pool is None:
            pool = self.hubs[takers, each.racks] = self.new()
            by_rack: dict[str | None, list[int]] = {}
            for m in takers:
                by_rack.setdefault(self.racks[m] if each.racks else None, []).append(m)
            for rack, near in by_rack.items():
                self.arcs.append(
                    (pool, self.hub(near, takers, rack), MOST, self.wrong * mismatch(each.racks, rack))
                )
        self.arcs.append((node, pool, units, self.move * each.owned))

    def hub(self, near: list[int], takers: tuple[int, ...], rack: str | None) -> int:
        key = takers, rack or ""
        if key not in self.hubs:
            self.hubs[key] = self.new()
            self.arcs += [(self.hubs[key], self.node[m], MOST, 0) for m in near]
        return self.hubs[key]

    def cost(self, level: Level) -> int:
        """What the cheapest owners cost, by one call of OR-tools."""
        import numpy as np
        from ortools.graph.python import min_cost_flow

        sink = self.new(-sum(self.supply))
        high = self.new()
        for node in self.node.values():
            self.arcs += [(node, sink, level.low, 0), (node, high, 1, 0)]
        self.arcs.append((high, sink, level.high, 0))
        engine: Any = min_cost_flow.SimpleMinCostFlow()
        engine.add_arcs_with_capacity_and_unit_cost(*np.array(self.arcs, np.int64).T)
        engine.set_nodes_supplies(np.arange(len(self.supply)), np.array(self.supply, np.int64))
        if engine.solve() != engine.OPTIMAL:
            raise SystemExit("OR-tools finds no optimum")
        return int(engine.optimal_cost())


def plain(given: Problem) -> int:
    """The cost of moves and rack mismatches by plain OR-tools."""
    problem = replace(given)  # nothing is worked out yet
    counted = aggregate(problem)
    by_weight = leveled(len(problem.members), counted.sets, counted.counts).levels
    last = restricted(counted, level_numbers(by_weight, len(problem.members)))
    racks = [member.rack for member in problem.members]
    networks = [Plain(level.members, racks, *weigh(problem, MOVEMENT_FIRST)) for level in by_weight]
    for each in counted.classes:
        level, takers = last[each.readers]
        networks[level].add(each, takers)
    return sum(network.cost(level) for network, level in zip(networks, by_weight, strict=True))


def ours(problem: Problem) -> int:
    """The same by the certified optimum."""
    best = _solve(problem)
    move, wrong = weigh(problem, MOVEMENT_FIRST)
    return move * best.moved + wrong * best.rack_mismatch


def seconds(runs: int, function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """The least CPU seconds of a call, and what it gave."""
    least, value = float("inf"), None
    for _ in range(runs):
        began = time.process_time()
        value = function(*arguments)
        least = min(least, time.process_time() - began)
    return least, value


def laid_out(names: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of groups: each with its sizes, and its document."""
    for name in names:
        layout, members, partitions = ROWS[name]
        yield f"{name} {members} x {partitions}", layout(members, partitions)


def beside(row: str, own: float, peer: float, goal: float, also: str = "") -> None:
    """Print one row with a peer."""
    print(f"{row:24}{own:10.3f}{peer:13.3f}{own / peer:8.2f}{goal:7.2f}{also}", flush=True)


def beside_ortools(names: Sequence[str], runs: int) -> None:
    """Print our optimum as a multiple of the peer's."""
    for row, document in laid_out(names):
        problem = Problem.parse(document)
        peer, cost = seconds(runs, plain, problem)
        own, mine = seconds(runs, ours, problem)
        if cost != mine:
            raise SystemExit(f"{row}: ours costs {mine}, OR-tools' {cost}")
        beside(row, own, peer, 2)


def placements(names: Sequence[str], runs: int) -> None:
    """Print placements with their leaders, from document to accepted certificate, beside two flows."""
    for name in names:
        shape, brokers, partitions = PLACEMENTS[name]
        drawn = "add" if shape == "add" else "skewed"
        made, document = seconds(1, partial(placement, drawn, 1, brokers=brokers, partitions=partitions))
        times = runs if partitions <= MANY else 1
        by = placement_optimum.ortools if shape == "add" else placement_optimum.ortools_uneven
        peer, theirs = seconds(times, by, document, [], 0)
        if shape == "shares":
            for place, broker in enumerate(document["brokers"]):
                broker["share"] = 1 + place % 3
        own, mine = seconds(times, solve_document, document)
        if shape != "shares" and mine["copies"] != theirs["copies"]:
            raise SystemExit(f"{name}: ours copies {mine['copies']}, OR-tools {theirs['copies']}")
        row = f"{shape} {brokers} x {partitions}"
        beside(row, own, peer, 2.5 if shape == "shares" else 1.5, f"   generator {made:.2f} s")


def all_tasks(names: Sequence[str], runs: int) -> None:
    """Print tasks with standbys: seconds, what they may take, and whether the optimum is proven."""
    print(f"{'':24}{'ours, s':>10}{'may take, s':>13}{'ratio':>8}   status")
    for name in names:
        clients, number, limit = TASKS[name]
        document = tasks("join", 1, clients=clients, tasks=number)
        for client in document["clients"]:
            del client["rack"]
        # CPU seconds count: the clock of a busy machine is not to end the search.
        own, best = seconds(runs, solve_document, document, Wanted(time_limit_s=600))
        row = f"tasks {clients} x {number}"
        print(f"{row:24}{own:10.3f}{limit:13}{own / limit:8.2f}   {best['status']}", flush=True)


def weights(names: Sequence[str]) -> None:
    """Print how far the moves are from what is proven, and from what prices of members alone prove.

    That is the plain method (Lagrange with one price a member): its bound is asked of the same packing.
    """
    print(f"{'':24}{'ours, s':>10}{'moves':>8}{'bound':>8}{'plain':>8}{'gap':>8}{'goal':>7}")
    for name in names:
        members, partitions = WEIGHTS[name]
        problem = Problem.parse(consumer("weighted", 1, members=members, partitions=partitions))
        own, solved = seconds(1, solve_packing, problem, Terms(), 30.0)
        _, movement, _ = solved.figures["goals"]
        plain_only = require_accepted({**solved.certificate, "transfers": None}, name)
        by_members = plain_only["goals"][1]["bound"]
        gap = movement["value"] / movement["bound"] - 1
        row = f"weights {members} x {partitions}"
        print(
            f"{row:24}{own:10.3f}{movement['value']:8}{movement['bound']:8}{by_members:8}{gap:8.2%}{0.01:7.0%}",
            flush=True,
        )


def _read(text: str) -> Problem:
    return Problem.parse(parse_json(text, "a problem"))


def _solve(problem: Problem) -> Optimum:
    return best_assignment(replace(problem))


def _write(best: Optimum) -> bytes:
    return plain_bytes(optimum_certificate(best))


def _check(proof: bytes) -> Checked:
    return check_certificate(parse_json(proof.decode(), "a certificate"))


def around(names: Sequence[str], runs: int) -> None:
    """Print what reading, writing and checking take beside the optimum."""
    print(f"{'':24}{'optimum, s':>11}{'read':>8}{'write':>8}{'check':>8}   times the optimum")
    for row, document in laid_out(names):
        text = json.dumps(document)
        read, problem = seconds(runs, _read, text)
        solve, best = seconds(runs, _solve, problem)
        write, proof = seconds(runs, _write, best)
        check, checked = seconds(runs, _check, proof)
        if checked.outcome is not Outcome.ACCEPTED:
            raise SystemExit(f"{row}: {checked.reason}")
        times = "".join(f"{part / solve:8.2f}" for part in (read, write, check))
        print(f"{row:24}{solve:11.3f}{times}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default=",".join((*ROWS, *PLACEMENTS, *TASKS, *WEIGHTS)))
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with no_collection():  # as commands do
        run(options.rows.split(","), options.runs)


def run(names: Sequence[str], runs: int) -> None:
    """Print the rows with a peer, then the others."""
    if bulk_flow.installed():
        plain(Problem.parse(ladder(3, 30)))  # imports, outside the clock
        print(HEAD)
        beside_ortools([name for name in names if name in PEERED], runs)
        placements([name for name in names if name in PLACEMENTS], runs)
    else:
        print("OR-tools is not installed (kassay[cpsat]): no peer")
    all_tasks([name for name in names if name in TASKS], runs)
    weights([name for name in names if name in WEIGHTS])
    around([name for name in names if name in ROWS and name not in PEERED], runs)


if __name__ == "__main__":
    main()

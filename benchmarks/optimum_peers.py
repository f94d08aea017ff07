"""The certified optimum against other solvers, every peer in a process of its own.

    python benchmarks/optimum_peers.py              all peers at 50 x 500, ours on the large suite
    python benchmarks/optimum_peers.py --peers own,networkx-hub --sizes 30x300,50x500 --no-large

Every peer gets the same documents, parsed before the clock starts, and makes its own model inside it; the
best of up to three runs counts. "hub" peers get our load levels and our network (both inside the clock) and
optimise movement and racks alone; "convex" and "full" peers do everything in one model or one after the
other. Ours includes levels, flow and the independent check. Answers must agree where a peer finishes.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from kassay.solver.algorithms.levels import levels
from kassay.solver.check.balance import refusal
from kassay.solver.groups.hub import Hubs, aggregate, level_bands
from kassay.solver.groups.optimum import best_assignment, restricted, weigh
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.groups import consumer
from kassay.solver.instances.suites import suite
from kassay.solver.results import NO_OWNER

SHAPES = ("join", "leave", "random", "nested", "racks")
SIZES = ("10x40", "20x100", "30x300", "50x500")
GOALS = {
    "networkx-convex": 10.0,
    "networkx-hub": 2.0,
    "ortools-hub": 1 / 3,
    "cpsat-full": 100.0,
    "highs-full": 30.0,
    "z3-hub": 20.0,
}
TIME_LIMIT = 30.0

Figures = tuple[int, int, int]
"""Sum of squared loads, partitions moved, rack mismatches."""


def cost(problem: Problem, topic: Any, p: int, m: int) -> tuple[bool, bool]:
    """Whether a partition moves, and whether its owner is far, if m takes it."""
    known = topic.racks[p] if topic.racks else frozenset()
    moved = problem.previous[topic.name][p] not in (NO_OWNER, m)
    return moved, bool(known) and problem.members[m].rack not in known


def pairs(problem: Problem) -> list[tuple[int, int, bool, bool]]:
    """Every partition with every member that may take it: number, member, moved, far."""
    edges, number = [], 0
    for topic in problem.topics:
        for p in range(topic.partitions):
            readers = problem.subscribers.get(topic.name, ())
            edges += [(number, m, *cost(problem, topic, p, m)) for m in readers]
            number += topic.name in problem.subscribers
    return edges


def greedy_most(problem: Problem) -> int:
    """The heaviest load of a greedy assignment: no optimum is heavier, so convex models may stop there."""
    load = [0] * len(problem.members)
    for topic in sorted(problem.topics, key=lambda topic: len(problem.subscribers.get(topic.name, ()))):
        for _ in range(topic.partitions if topic.name in problem.subscribers else 0):
            load[min(problem.subscribers[topic.name], key=load.__getitem__)] += 1
    return max(load)


def own(problem: Problem) -> Figures:
    result = best_assignment(problem)
    return result.sum_squares, result.moved, result.rack_mismatch


def z3_hub(problem: Problem) -> Figures:
    from kassay.solver.groups.z3_optimum import z3_optimum

    result = z3_optimum(problem, time_limit=TIME_LIMIT)
    return result.sum_squares, result.moved, result.rack_mismatch


def hub_networks(problem: Problem) -> Iterator[tuple[Hubs, int, int]]:
    """The network of each level with its units, and what is added to what its flow costs."""
    counted = aggregate(problem)
    load_levels = levels(len(problem.members), counted.sets, counted.counts)
    level_of = {m: number for number, level in enumerate(load_levels) for m in level.members}
    last = restricted(counted, [level_of[m] for m in range(len(problem.members))])
    move, wrong = weigh(problem, ("balance", "movement", "rack"))
    for number, level in enumerate(load_levels):
        classes = [each for each in counted.classes if last[each.readers][0] == number]
        hubs = Hubs(
            level.members,
            level_bands(level),
            [member.rack for member in problem.members],
            [members for _, members in last],
            lambda moved, far: move * moved + wrong * far,
        )
        hubs.build(classes)
        # In the network every unit leaves its pool at the price of the dearest move.
        dearest = max([each.owned for each in classes], default=0)
        less = sum((each.owned - dearest) * len(each.units) for each in classes)
        yield hubs, sum(len(each.units) for each in classes), less * move


def from_cost(problem: Problem, total: int) -> Figures:
    """The figures behind a lexicographic cost; squares are those of the levels."""
    counted = aggregate(problem)
    squares = 0
    for level in levels(len(problem.members), counted.sets, counted.counts):
        squares += (len(level.members) - level.high) * level.low**2 + level.high * (level.low + 1) ** 2
    move, _ = weigh(problem, ("balance", "movement", "rack"))
    return squares, *divmod(total, move)


def networkx_hub(problem: Problem) -> Figures:
    import networkx as nx

    total = 0
    for hubs, units, gone in hub_networks(problem):
        graph: nx.DiGraph[int] = nx.DiGraph()
        net = hubs.network
        graph.add_node(hubs.SOURCE, demand=-units)
        graph.add_node(hubs.SINK, demand=units)
        for arc in range(0, len(net.head), 2):
            graph.add_edge(
                net.head[arc + 1], net.head[arc], weight=net.cost[arc], capacity=min(units, net.capacity[arc])
            )
        total += nx.network_simplex(graph)[0] + gone
    return from_cost(problem, total)


def ortools_hub(problem: Problem) -> Figures:
    from ortools.graph.python import min_cost_flow

    total = 0
    for hubs, units, gone in hub_networks(problem):
        solver, net = min_cost_flow.SimpleMinCostFlow(), hubs.network
        for arc in range(0, len(net.head), 2):
            solver.add_arc_with_capacity_and_unit_cost(
                net.head[arc + 1], net.head[arc], min(units, net.capacity[arc]), net.cost[arc]
            )
        solver.set_node_supply(hubs.SOURCE, units)
        solver.set_node_supply(hubs.SINK, -units)
        if solver.solve() != solver.OPTIMAL:
            raise RuntimeError("no optimum")
        total += solver.optimal_cost() + gone
    return from_cost(problem, total)


def networkx_convex(problem: Problem) -> Figures:
    import networkx as nx

    every = pairs(problem)
    total = 1 + max((number for number, *_ in every), default=-1)
    scale = total + 1
    graph: nx.MultiDiGraph[Any] = nx.MultiDiGraph()
    graph.add_nodes_from((("p", number) for number in range(total)), demand=-1)
    graph.add_node("sink", demand=total)
    for number, m, moved, far in every:
        graph.add_edge(("p", number), m, capacity=1, weight=scale * moved + far)
    most = greedy_most(problem)
    for m in range(len(problem.members)):
        for k in range(most):
            graph.add_edge(m, "sink", capacity=1, weight=(2 * k + 1) * scale * scale)
    squares, rest = divmod(nx.network_simplex(graph)[0], scale * scale)
    return squares, *divmod(rest, scale)


def cpsat_full(problem: Problem) -> Figures:
    """Balance, then movement, then racks, each fixed before the next; one worker."""
    from ortools.sat.python import cp_model

    every = pairs(problem)
    model = cp_model.CpModel()
    takes = [model.new_bool_var("") for _ in every]
    by_partition: dict[int, list[Any]] = {}
    by_member: dict[int, list[Any]] = {}
    for (number, m, _, _), take in zip(every, takes, strict=True):
        by_partition.setdefault(number, []).append(take)
        by_member.setdefault(m, []).append(take)
    for choice in by_partition.values():
        model.add_exactly_one(choice)
    most = greedy_most(problem)
    squares = []
    for given in by_member.values():
        steps = [model.new_bool_var("") for _ in range(min(most, len(given)))]
        model.add(sum(given) == sum(steps))
        for low, high in pairwise(steps):
            model.add_implication(high, low)
        squares += [(2 * k + 1) * step for k, step in enumerate(steps)]
    objectives = [
        sum(squares),
        sum(take for (_, _, moved, _), take in zip(every, takes, strict=True) if moved),
        sum(take for (_, _, _, far), take in zip(every, takes, strict=True) if far),
    ]
    values = []
    deadline = time.perf_counter() + TIME_LIMIT
    for objective in objectives:
        if isinstance(objective, int):
            values.append(objective)
            continue
        model.minimize(objective)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_time_in_seconds = max(0.1, deadline - time.perf_counter())
        if solver.solve(model) != cp_model.OPTIMAL:
            raise TimeoutError
        values.append(round(solver.objective_value))
        model.add(objective <= values[-1])
    return values[0], values[1], values[2]


def highs_full(problem: Problem) -> Figures:
    """The same three solves as a mixed integer program by HiGHS (in scipy)."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_matrix

    every = pairs(problem)
    members, most = len(problem.members), greedy_most(problem)
    total = 1 + max(number for number, *_ in every)
    width = len(every) + members * most
    rows = [number for number, *_ in every] + [total + m for _, m, *_ in every]
    columns = [*range(len(every)), *range(len(every))]
    entries = [1.0] * (2 * len(every))
    for m in range(members):
        for k in range(most):
            rows.append(total + m)
            columns.append(len(every) + m * most + k)
            entries.append(-1.0)
    matrix = csr_matrix((entries, (rows, columns)), shape=(total + members, width))
    right = np.concatenate([np.ones(total), np.zeros(members)])
    constraints = [LinearConstraint(matrix, right, right)]
    squares = np.concatenate([np.zeros(len(every)), np.tile(2 * np.arange(most) + 1.0, members)])
    rest = np.zeros(members * most)
    moved = np.concatenate([np.array([float(moved) for _, _, moved, _ in every]), rest])
    far = np.concatenate([np.array([float(far) for _, _, _, far in every]), rest])
    values = []
    deadline = time.perf_counter() + TIME_LIMIT
    for objective in (squares, moved, far):
        left = max(0.1, deadline - time.perf_counter())
        answer = milp(
            objective,
            constraints=constraints,
            bounds=Bounds(0, 1),
            integrality=np.ones(width),
            options={"time_limit": left},
        )
        if answer.status != 0:
            raise TimeoutError
        values.append(round(answer.fun))
        constraints.append(LinearConstraint(csr_matrix(objective), -np.inf, values[-1] + 0.5))
    return values[0], values[1], values[2]


PEERS: dict[str, Callable[[Problem], Figures]] = {
    "own": own,
    "networkx-hub": networkx_hub,
    "networkx-convex": networkx_convex,
    "ortools-hub": ortools_hub,
    "cpsat-full": cpsat_full,
    "highs-full": highs_full,
    "z3-hub": z3_hub,
}


def measure(peer: str, names: Iterable[tuple[str, int, int]], repeats: int) -> Iterator[dict[str, Any]]:
    """Seconds and figures of a peer on each instance; None where its time ran out."""
    solve = PEERS[peer]
    solve(Problem.parse(consumer("racks", 1, members=3, partitions=6)))  # imports, outside the clock
    for shape, members, partitions in names:
        problem = Problem.parse(document(shape, members, partitions))
        best, figures = math.inf, None
        for _ in range(repeats):
            fresh = Problem(problem.members, problem.topics, problem.previous, problem.copartition)
            began = time.perf_counter()
            try:
                figures = solve(fresh)
            except (TimeoutError, RuntimeError) as error:
                print(f"{peer} {shape} {members}x{partitions}: {type(error).__name__}", file=sys.stderr)
                break
            best = min(best, time.perf_counter() - began)
            if best > 1:
                break
        yield {
            "shape": shape,
            "size": f"{members}x{partitions}",
            "seconds": best if figures else None,
            "figures": figures,
        }


def document(shape: str, members: int, partitions: int) -> dict[str, Any]:
    """The instance of the bench suite, or of the large one from 10,000 partitions on."""
    if partitions < 10_000:
        return consumer(shape, 1, members=members, partitions=partitions)
    topics = min(200, partitions // 50)
    return consumer(shape, 1, members=members, partitions=partitions, topics=topics, change=members // 20)


def run(peer: str, cases: list[tuple[str, int, int]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Measure a peer in a process of its own."""
    command = [sys.executable, __file__, "--child", peer, json.dumps(cases)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{peer}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {(row["shape"], row["size"]): row for row in rows}


def geometric(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def _size(text: str) -> tuple[int, int]:
    members, partitions = text.split("x")
    return int(members), int(partitions)


def compare(peers: list[str], sizes: list[str], shapes: list[str]) -> list[dict[str, Any]]:
    """Print each peer's time as a multiple of ours, by shape; the rows behind it."""
    cases = [(shape, *_size(size)) for size in sizes for shape in shapes]
    measured = {peer: run(peer, cases) for peer in dict.fromkeys(["own", *peers])}
    rows = []
    for size in sizes:
        print(f"\n{size}: seconds of ours, then times ours of each peer (- : not in {TIME_LIMIT:.0f} s)")
        print(f"{'':17}" + "".join(f"{shape:>10}" for shape in shapes) + f"{'geo mean':>10}{'goal':>8}")
        ours = [measured["own"][shape, size]["seconds"] for shape in shapes]
        print(f"{'own':17}" + "".join(f"{value:10.4f}" for value in ours) + f"{geometric(ours):10.4f}")
        for peer in peers:
            if peer == "own":
                continue
            ratios: list[float | None] = []
            for shape, mine in zip(shapes, ours, strict=True):
                row = measured[peer].get((shape, size))
                seconds = row["seconds"] if row else None
                ratios.append(seconds / mine if seconds else None)
                if row and seconds and row["figures"] != measured["own"][shape, size]["figures"]:
                    raise SystemExit(
                        f"{peer} on {shape} {size}: {row['figures']}, ours {measured['own'][shape, size]}"
                    )
                rows.append({"peer": peer, "shape": shape, "size": size, "own_s": mine, "peer_s": seconds})
            known = [ratio for ratio in ratios if ratio]
            cells = "".join(f"{'-':>10}" if ratio is None else f"{ratio:10.1f}" for ratio in ratios)
            mean = f"{geometric(known):10.1f}" if known else f"{'-':>10}"
            print(f"{peer:17}{cells}{mean}{GOALS.get(peer, 0):8.2f}")
    return rows


def large(peers: list[str]) -> list[dict[str, Any]]:
    """Ours on the large suite, step by step, with the growth exponent of each shape."""
    rows = []
    print(f"\nlarge suite{'':17}{'read':>8}{'optimum':>9}{'of it check':>13}")
    for given in suite("large"):
        began = time.perf_counter()
        problem = Problem.parse(given)
        read = time.perf_counter()
        result = best_assignment(problem)
        solved = time.perf_counter()
        if refusal(problem, result) is not None:
            raise SystemExit("a certificate was refused")
        checked = time.perf_counter()
        row = {
            "shape": given["shape"],
            "name": given["name"],
            "partitions": sum(topic["partitions"] for topic in given["topics"]),
            "read_s": read - began,
            "solve_s": solved - read,
            "check_s": checked - solved,
        }
        rows.append(row)
        print(f"{row['name']:28}{row['read_s']:8.3f}{row['solve_s']:9.3f}{row['check_s']:13.3f}")
    for shape in dict.fromkeys(row["shape"] for row in rows):
        points = [
            (math.log(row["partitions"]), math.log(row["solve_s"])) for row in rows if row["shape"] == shape
        ]
        print(f"{shape}: time grows with partitions to the power {slope(points):.2f}")
    for peer in peers:
        cases = [("random", 300, 30_000)]
        mine = next(row for row in rows if row["name"].startswith("A-random-300x"))
        for row in run(peer, cases).values():
            if row["seconds"]:
                print(f"random 300x30000: {peer} takes {row['seconds'] / mine['solve_s']:.1f} times ours")
    return rows


def slope(points: list[tuple[float, float]]) -> float:
    """The least-squares slope."""
    x, y = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--sizes", default="50x500")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--no-large", action="store_true", help="leave the large suite out")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        peer, cases = options.child
        for row in measure(peer, [tuple(case) for case in json.loads(cases)], 3):
            print(json.dumps(row), flush=True)
        return
    peers = options.peers.split(",")
    rows = compare(peers, options.sizes.split(","), options.shapes.split(","))
    if not options.no_large:
        rows += large([peer for peer in peers if peer in ("networkx-hub", "ortools-hub")])
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

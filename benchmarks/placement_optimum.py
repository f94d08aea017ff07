"""The replica placement optimum next to OR-tools' flows, CP-SAT and networkx, each in its own process.

Run `python benchmarks/placement_optimum.py [LIMIT_S] [SHAPE ...]`, by default 30 s and the shapes add,
create, remove, rack_skew and skewed; the larger sizes of `add` and `skewed` have OR-tools' flows as their
only peer. All solve the same: rack rule, least sum of squared counts, then fewest copies; kassay chooses
leaders as well, and its time includes reading the document and checking the certificate. The peers' times
are those of building the model and solving, without imports. `ortools` is the best formulation on
`SimpleMinCostFlow` (partition and rack -> kept broker or rack hub -> quota), leaders as a second flow, arcs
in bulk, nothing proven, for racks that take one replica at the most; it gives out rows, leader first.
networkx has its network simplex on the plain network and runs up to 300 partitions. CP-SAT runs with one
worker, once on the whole problem (`cpsat`), once given the optimal counts (`told`), so that it has to find
the copies alone. Ratios are kassay's time by the peer's.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from kassay.solver.instances.brokers_and_tasks import placement
from kassay.solver.instances.families import solve_document
from kassay.solver.placement.problem import PlacementProblem

SIZES = ((6, 30), (12, 100), (24, 300), (48, 1000))
LARGE = ((100, 3000), (200, 10_000), (1000, 100_000))
SHAPES = ("add", "create", "remove", "rack_skew", "skewed")
NETWORKX_PARTITIONS_MOST = 300


def cpsat(document: dict[str, Any], _: list[int], limit_s: float) -> dict[str, Any]:
    """The least sum of squared counts, then the fewest copies, with CP-SAT."""
    return with_counts(document, [], limit_s)


def with_counts(document: dict[str, Any], counts: list[int], limit_s: float) -> dict[str, Any]:
    """The fewest copies for these sorted counts, with CP-SAT; without counts the whole problem."""
    from ortools.sat.python import cp_model

    began = time.perf_counter()
    problem = PlacementProblem.parse(document)
    model: Any = cp_model.CpModel()
    places = range(len(problem.brokers))
    racks = problem.racks or (0,) * len(places)
    columns: list[list[Any]] = [[] for _ in places]
    copies = []
    for _, rf, row in problem.partitions():
        spread = problem.spread(rf)
        takes = [model.new_bool_var("") for _ in places]
        model.add(sum(takes) == rf)
        for rack in set(racks):
            inside = [takes[b] for b in places if racks[b] == rack]
            model.add_linear_constraint(sum(inside), spread.least, spread.most)
        for b in places:
            columns[b].append(takes[b])
            if problem.brokers[b].id not in row:
                copies.append(takes[b])
    low, high = min(counts, default=0), max(counts, default=len(problem.partitions()))
    squares = [model.new_int_var(0, high**2, "") for _ in places]
    for b in places:
        load = model.new_int_var(low, high, "")
        model.add(load == sum(columns[b]))
        model.add_multiplication_equality(squares[b], [load, load])
    dear = problem.total + 1
    if counts:
        model.add(sum(squares) <= sum(count * count for count in counts))
        model.minimize(sum(copies))
    else:
        model.minimize(dear * sum(squares) + sum(copies))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = limit_s
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    solved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return {
        "status": solver.status_name(status).lower(),
        "copies": round(solver.objective_value) % dear if solved else None,
        "seconds": time.perf_counter() - began,
    }


def networkx(document: dict[str, Any], _: list[int], __: float) -> dict[str, Any]:
    """Balance and copies in one minimum-cost flow, a node a partition and rack."""
    import networkx as nx

    began = time.perf_counter()
    problem = PlacementProblem.parse(document)
    graph: nx.DiGraph[Any] = nx.DiGraph()
    racks = problem.racks or (0,) * len(problem.brokers)
    dear = problem.total + 1
    graph.add_node("sink", demand=problem.total)
    for tp, rf, row in problem.partitions():
        spread = problem.spread(rf)
        number = len(set(racks))
        graph.add_node(tp, demand=spread.least * number - rf)
        for rack in set(racks):
            graph.add_node((tp, rack), demand=-spread.least)
            graph.add_edge(tp, (tp, rack), capacity=spread.most - spread.least)
        for place, broker in enumerate(problem.brokers):
            graph.add_edge((tp, racks[place]), place, capacity=1, weight=int(broker.id not in row))
    for place in range(len(problem.brokers)):
        for unit in range(len(problem.partitions())):
            graph.add_edge(place, (place, unit), capacity=1, weight=dear * (2 * unit + 1))
            graph.add_edge((place, unit), "sink", capacity=1)
    cost, _flow = nx.network_simplex(graph)
    return {"status": "optimal", "copies": cost % dear, "seconds": time.perf_counter() - began}


def flow(places: int, supplies: Any, arcs: list[tuple[Any, Any, Any, Any]], units: int) -> list[Any]:
    """The flows of these arcs by OR-tools, where a place pays for each unit more than for the one before."""
    import numpy as np
    from ortools.graph.python import min_cost_flow

    engine: Any = min_cost_flow.SimpleMinCostFlow()
    steps = -(-units // places) + 2
    last: Any = np.repeat(np.arange(places), steps), np.full(places * steps, len(supplies) - 1)
    dear = np.tile((units + 1) * (2 * np.arange(steps) + 1), places)
    columns = zip(*arcs, (*last, np.ones(places * steps, int), dear), strict=True)
    numbers = engine.add_arcs_with_capacity_and_unit_cost(*map(np.concatenate, columns))
    engine.set_nodes_supplies(np.arange(len(supplies)), supplies)
    assert engine.solve() == engine.OPTIMAL
    return list(np.split(engine.flows(numbers), np.cumsum([len(tails) for tails, *_ in arcs])))


def ortools(document: dict[str, Any], _: list[int], __: float) -> dict[str, Any]:
    """Replicas as one flow, then leaders as another, both with OR-tools; each rack holds one of each."""
    import numpy as np

    brokers, rows = document["brokers"], np.array(document["current"]["t0000"])
    began = time.perf_counter()
    racks = np.unique([broker["rack"] for broker in brokers], return_inverse=True)[1]
    number, size, every = len(brokers), racks.max() + 1, len(rows)
    cells = number + size + np.arange(every * size)
    supplies = np.zeros(number + size + every * size + 1, int)
    supplies[cells], supplies[-1] = 1, -every * size
    keeping = (cells.reshape(every, size)[np.arange(every)[:, None], racks[rows]]).ravel()
    one = np.ones(every * size, int)
    kept, fresh, out, _ = flow(
        number,
        supplies,
        [
            (keeping, rows.ravel(), one, 0 * one),
            (cells, number + np.tile(np.arange(size), every), one, one),
            (number + racks, np.arange(number), np.full(number, every), np.zeros(number, int)),
        ],
        every * size,
    )
    chosen = np.zeros(every * size, int)
    chosen[keeping[kept > 0] - number - size] = rows.ravel()[kept > 0]
    for rack in range(size):
        takers = np.flatnonzero(racks == rack)
        chosen[rack::size][fresh[rack::size] > 0] = np.repeat(takers, out[takers])
    return led(rows, chosen.reshape(every, size), number, int(fresh.sum()), began)


def ortools_uneven(document: dict[str, Any], _: list[int], __: float) -> dict[str, Any]:
    """The same where a rack holds one replica of a partition or none: more racks than replicas."""
    import numpy as np

    brokers, rows = document["brokers"], np.array(document["current"]["t0000"])
    began = time.perf_counter()
    racks = np.unique([broker["rack"] for broker in brokers], return_inverse=True)[1]
    number, size, (every, rf) = len(brokers), racks.max() + 1, rows.shape
    own = number + size + np.arange(every)
    # A cell for each partition and rack that holds it today; other racks' hubs are reached without one.
    held = np.repeat(np.arange(every), rf) * size + racks[rows.ravel()]
    pairs, cell_of = np.unique(held, return_inverse=True)
    away = np.setdiff1d(np.arange(every * size), pairs)
    cells = own[-1] + 1 + np.arange(len(pairs))
    supplies = np.zeros(number + size + every + len(pairs) + 1, int)
    supplies[own], supplies[-1] = rf, -every * rf

    def ones(like: Any) -> Any:
        return np.ones(len(like), int)

    _, kept, copied, fresh, out, _ = flow(
        number,
        supplies,
        [
            (own[pairs // size], cells, ones(pairs), 0 * ones(pairs)),
            (cells[cell_of], rows.ravel(), ones(held), 0 * ones(held)),
            (cells, number + pairs % size, ones(pairs), ones(pairs)),
            (own[away // size], number + away % size, ones(away), ones(away)),
            (number + racks, np.arange(number), np.full(number, every), np.zeros(number, int)),
        ],
        every * rf,
    )
    new = np.sort(np.concatenate((pairs[copied > 0], away[fresh > 0])))
    wholes, places = [held[kept > 0] // size], [rows.ravel()[kept > 0]]
    for rack in range(size):
        takers = np.flatnonzero(racks == rack)
        wholes.append(new[new % size == rack] // size)
        places.append(np.repeat(takers, out[takers]))
    order = np.argsort(np.concatenate(wholes), kind="stable")
    chosen = np.concatenate(places)[order].reshape(every, rf)
    return led(rows, chosen, number, len(new), began)


def led(rows: Any, replicas: Any, number: int, copies: int, began: float) -> dict[str, Any]:
    """The answer with leaders for these replicas by a flow of their own."""
    import numpy as np

    every, size = replicas.shape
    chosen, one = replicas.ravel(), np.ones(replicas.size, int)
    homes: Any = np.repeat(rows[:, 0], size)
    away = (chosen != homes) & np.repeat((chosen == homes).reshape(every, size).any(1), size)
    supplies = np.concatenate((np.zeros(number, int), np.ones(every, int), [-every]))
    leads, _ = flow(
        number,
        supplies,
        [(number + np.repeat(np.arange(every), size), chosen, one, away.astype(int))],
        every,
    )
    # Given out as it is asked for: a row of brokers a partition, the leader first.
    order = np.argsort(-leads.reshape(every, size), axis=1, kind="stable")
    assignment = np.take_along_axis(chosen.reshape(every, size), order, 1).tolist()
    seconds = time.perf_counter() - began
    return {"status": "optimal", "copies": copies, "seconds": seconds, "assignment": assignment}


PEERS: dict[str, Callable[[dict[str, Any], list[int], float], dict[str, Any]]] = {
    "cpsat": cpsat,
    "told": with_counts,
    "networkx": networkx,
    "ortools": ortools,
    "uneven": ortools_uneven,
}


def in_own_process(peer: str, document: dict[str, Any], counts: list[int], limit_s: float) -> dict[str, Any]:
    """The peer's answer; one that needs much more than the limit is stopped."""
    job = json.dumps({"document": document, "counts": counts, "limit_s": limit_s})
    try:
        done = subprocess.run(
            [sys.executable, __file__, "--peer", peer],
            input=job,
            capture_output=True,
            text=True,
            timeout=3 * limit_s + 30,
            check=True,
        )
        return dict(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        return {"status": "stopped", "copies": None, "seconds": 3 * limit_s + 30}


def kassay(document: dict[str, Any]) -> dict[str, Any]:
    """Our own answer, certificate checked: the best time of three, of a large one that of the only run."""
    runs = 3 if document["topics"][0]["partitions"] <= LARGE[1][1] else 1
    results = [solve_document(document) for _ in range(runs)]
    return min(results, key=lambda result: float(result["elapsed_s"]))


def main(arguments: list[str]) -> None:
    """Print a line an instance."""
    limit_s = float(arguments[0]) if arguments else 30.0
    print(
        f"{'instance':30} {'kassay':>18} {'ortools':>25} {'cpsat':>25} {'told':>25} {'networkx':>25}   ratios"
    )
    for shape in arguments[1:] or SHAPES:
        for brokers, partitions in SIZES + (LARGE if shape in ("add", "skewed") else ()):
            document = placement(shape, 1, brokers=brokers, partitions=partitions)
            own = kassay(document)
            line = f"{document['name']:30} {own['elapsed_s']:8.4f} s {own['copies']:5} c"
            ratios = []
            for peer in ("ortools", "cpsat", "told", "networkx"):
                if not asked(peer, shape, partitions):
                    line += f" {'not run':>25}"
                    continue
                name = "uneven" if peer == "ortools" and shape == "skewed" else peer
                theirs = in_own_process(name, document, own["loads"], limit_s)
                if theirs["status"] == "optimal" and theirs["copies"] != own["copies"]:
                    raise SystemExit(f"{document['name']}: {peer} needs {theirs['copies']} copies")
                copies = "-" if theirs["copies"] is None else theirs["copies"]
                line += f" {theirs['status'][:8]:>8} {theirs['seconds']:8.3f} s {copies:>4} c"
                ratios.append(f"{peer} {own['elapsed_s'] / theirs['seconds']:.2g}")
            print(f"{line}   {', '.join(ratios)}", flush=True)


def asked(peer: str, shape: str, partitions: int) -> bool:
    """Whether the peer takes such an instance, and has a chance to end."""
    if peer == "ortools":
        return shape in ("add", "skewed")
    return partitions <= (NETWORKX_PARTITIONS_MOST if peer == "networkx" else SIZES[-1][1])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        job = json.load(sys.stdin)
        sys.stdout.write(json.dumps(PEERS[sys.argv[2]](job["document"], job["counts"], job["limit_s"])))
    else:
        main(sys.argv[1:])

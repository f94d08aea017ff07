"""Replica placement and stateful task instances by shape and seed, families "B" and "C".

Shapes of B: `create`, `add` and `remove` (brokers), `rack_skew` (racks of unequal size), `weighted`
(brokers with shares). Shapes of C: `fresh`, `join`, `leave`.
"""

from __future__ import annotations

from typing import Any, Final

from kassay.model.errors import InputError
from kassay.solver.algorithms.splitmix import SplitMix

PLACEMENT_SHAPES: Final = ("create", "add", "remove", "rack_skew", "weighted")
TASK_SHAPES: Final = ("fresh", "join", "leave")

Document = dict[str, Any]


def placement(
    shape: str = "add",
    seed: int = 0,
    *,
    brokers: int = 6,
    partitions: int = 30,
    rf: int = 3,
    racks: int = 3,
    change: int = 1,
) -> Document:
    """One topic on brokers of which `change` are new or gone."""
    if shape not in PLACEMENT_SHAPES:
        raise InputError(f"shape: found {shape!r}, expected one of {', '.join(PLACEMENT_SHAPES)}")
    rng = SplitMix("B", shape, seed, brokers, partitions, rf, racks)
    total = brokers + change if shape == "remove" else brokers
    rack = _broker_racks(shape, total, racks)
    old = range(total - change) if shape == "add" else range(total)
    rows = [] if shape == "create" else _spread(rng, list(old), rack, partitions, rf)
    removed = set(rng.sample(range(total), change)) if shape == "remove" else set()
    return {
        "family": "B",
        "shape": shape,
        "seed": seed,
        "name": f"B-{shape}-{brokers}x{partitions}x{rf}-r{racks}-s{seed}",
        "brokers": [
            {"id": b, "rack": rack[b], "share": 1 + rng.below(3) if shape == "weighted" else 1}
            for b in range(total)
            if b not in removed
        ],
        "topics": [{"name": "t0000", "partitions": partitions, "rf": rf}],
        "current": {"t0000": rows},
    }


def _broker_racks(shape: str, total: int, racks: int) -> list[str]:
    if shape != "rack_skew":
        return [f"r{b % racks}" for b in range(total)]
    if total < racks:
        return [f"r{b}" for b in range(total)]
    return [f"r{b}" if b < racks else f"r{min(b // 2, racks - 1)}" for b in range(total)]


def _spread(rng: SplitMix, brokers: list[int], rack: list[str], partitions: int, rf: int) -> list[list[int]]:
    """Replicas on the emptiest brokers, racks first, ties by chance."""
    load = dict.fromkeys(brokers, 0)
    rows = []
    for _ in range(partitions):
        row: list[int] = []
        for _ in range(rf):
            used = [rack[b] for b in row]
            rank = {b: (used.count(rack[b]), load[b]) for b in brokers if b not in row}
            least = min(rank.values())
            chosen = rng.pick([b for b in rank if rank[b] == least])
            row.append(chosen)
            load[chosen] += 1
        rows.append(row)
    return rows


def tasks(
    shape: str = "join",
    seed: int = 0,
    *,
    clients: int = 5,
    tasks: int = 20,
    standbys: int = 1,
    change: int = 1,
    racks: int = 3,
) -> Document:
    """Tasks with standbys on clients of which `change` are new or gone."""
    if shape not in TASK_SHAPES:
        raise InputError(f"shape: found {shape!r}, expected one of {', '.join(TASK_SHAPES)}")
    rng = SplitMix("C", shape, seed, clients, tasks, standbys)
    before = {"join": clients - change, "leave": clients + change}.get(shape, clients)
    names = [f"c{i:03d}" for i in range(clients)]
    pool = names[: max(before, 1)] + [f"x{i:03d}" for i in range(max(0, before - clients))]
    placed: dict[int, list[str]] = {}
    for turn, task in enumerate(rng.shuffled(range(tasks))):
        active = pool[turn % len(pool)]
        others = rng.sample([c for c in pool if c != active], min(len(pool), 1 + standbys) - 1)
        placed[task] = [active, *others]
    fresh = shape == "fresh"
    return {
        "family": "C",
        "shape": shape,
        "seed": seed,
        "name": f"C-{shape}-{clients}x{tasks}-sb{standbys}-s{seed}",
        "clients": [{"id": c, "rack": f"r{i % racks}", "threads": 1} for i, c in enumerate(names)],
        "tasks": tasks,
        "standbys": standbys,
        "active": [
            None if fresh or placed[task][0] not in names else placed[task][0] for task in range(tasks)
        ],
        "standby": [[] if fresh else [c for c in placed[task][1:] if c in names] for task in range(tasks)],
    }

"""Small tasks with standbys, and what every assignment of them is worth."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from kassay.solver.instances.families import Wanted, solve_document

Choice = tuple[int, frozenset[int]]


def small(rng: random.Random, threads: bool = True) -> dict[str, Any]:
    ids = [f"c{i}" for i in range(rng.randint(1, 4))]
    tasks = rng.randint(0, 4 if len(ids) < 4 else 3)
    active = [rng.choice([*ids, None]) for _ in range(tasks)]
    standby = [
        rng.sample([id_ for id_ in ids if id_ != lead], rng.randint(0, len(ids) - (lead is not None)))
        for lead in active
    ]
    return {
        "family": "C",
        "name": "small",
        "clients": [{"id": id_, "threads": rng.randint(1, 3) if threads else 1} for id_ in ids],
        "tasks": tasks,
        "standbys": rng.randint(0, 2),
        "active": active,
        "standby": standby,
    }


def choices(case: dict[str, Any]) -> list[Choice]:
    clients = range(len(case["clients"]))
    followers = min(case["standbys"], len(clients) - 1)
    return [
        (lead, frozenset(row))
        for lead in clients
        for row in itertools.combinations([c for c in clients if c != lead], followers)
    ]


def worth(case: dict[str, Any], chosen: tuple[Choice, ...]) -> tuple[int, int]:
    """(imbalance of actives and copies, cost) of one choice a task."""
    place = {client["id"]: i for i, client in enumerate(case["clients"])}
    cost = 0
    for old, holders, (lead, row) in zip(case["active"], case["standby"], chosen, strict=True):
        state = {place[id_] for id_ in holders} | ({place[old]} if old else set())
        cost += 3 * len(({lead} | row) - state) + (old is not None and place[old] != lead)
    actives = Counter(lead for lead, _ in chosen)
    copies = actives + Counter(c for _, row in chosen for c in row)
    threads = [client["threads"] for client in case["clients"]]
    balance = 0
    for counts in (actives, copies):
        for c, share in enumerate(threads):
            balance += sum(threads) * counts[c] ** 2 - 2 * counts.total() * share * counts[c]
    return balance, cost


def every(case: dict[str, Any]) -> Iterator[tuple[int, int]]:
    return (worth(case, chosen) for chosen in itertools.product(choices(case), repeat=case["tasks"]))


def chosen_by(case: dict[str, Any], result: dict[str, Any]) -> tuple[Choice, ...]:
    ids = [client["id"] for client in case["clients"]]
    lead = {task: ids.index(id_) for id_, tasks in result["assignment"].items() for task in tasks}
    return tuple(
        (lead[task], frozenset(i for i, id_ in enumerate(ids) if task in result["standbys"][id_]))
        for task in range(case["tasks"])
    )


def solved(case: dict[str, Any], time_limit_s: float = 10.0) -> dict[str, Any]:
    return solve_document(case, Wanted(time_limit_s=time_limit_s))

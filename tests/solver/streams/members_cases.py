"""Small tasks for members inside processes, and what every assignment of them is worth."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kassay.solver.instances.families import Wanted, solve_document

Document = Mapping[str, Any]
Choice = tuple[str, frozenset[str]]
"""The member that runs a task, and the processes with a standby copy of it."""
Worth = tuple[int, int, int, int, int, int]
"""Balance of stateful, balance of actives, cost, moved, balance of copies, standby restores."""
GOALS = (
    "balance of stateful",
    "balance of actives",
    "cost",
    "moved",
    "balance of copies",
    "standby restores",
)


def small(rng: random.Random) -> dict[str, Any]:
    clients = [
        {"id": f"p{i}", "members": [f"m{i}{j}" for j in range(rng.choice((1, 1, 2, 3)))]}
        for i in range(rng.randint(1, 3))
    ]
    ids = [client["id"] for client in clients]
    home = home_of({"clients": clients})
    tasks = rng.randint(0, 5 if len(home) < 4 else 4)
    standbys = rng.choice((0, 0, 1, 1, 2))
    tasks = min(tasks, 3) if standbys and len(clients) == 3 and len(home) > 4 else tasks
    stateless = [task for task in range(tasks) if rng.random() < 0.3]
    active = [rng.choice([*home, None]) for _ in range(tasks)]
    standby = [
        []
        if task in stateless
        else [id_ for id_ in ids if id_ != home.get(active[task]) and rng.random() < 0.4]
        for task in range(tasks)
    ]
    return {
        "family": "C",
        "name": "small",
        "clients": clients,
        "tasks": tasks,
        "standbys": standbys,
        "stateless": stateless,
        "active": active,
        "standby": standby,
    }


def home_of(case: Document) -> dict[str | None, str]:
    """The process of each member."""
    return {member: client["id"] for client in case["clients"] for member in client["members"]}


def choices(case: Document, task: int) -> list[Choice]:
    """Every member for a task, with every set of other processes for its standbys."""
    home = home_of(case)
    ids = [client["id"] for client in case["clients"]]
    number = 0 if task in case["stateless"] else min(case["standbys"], len(ids) - 1)
    return [
        (str(member), frozenset(row))
        for member, own in home.items()
        for row in itertools.combinations([id_ for id_ in ids if id_ != own], number)
    ]


def active_worth(case: Document, leads: Sequence[str]) -> tuple[int, int, int, int]:
    """What the active tasks are worth, goal by goal."""
    home = home_of(case)
    stateful, every = Counter[str](), Counter(leads)
    cost = moved = 0
    for task, lead in enumerate(leads):
        old = case["active"][task]
        moved += old is not None and old != lead
        if task in case["stateless"]:
            continue
        stateful[lead] += 1
        cost += 3 * (home[lead] not in state(case, task)) + (old is not None and home[old] != home[lead])
    return squares(stateful), squares(every), cost, moved


def state(case: Document, task: int) -> set[str]:
    """The processes with the state of a stateful task."""
    old = case["active"][task]
    return set(case["standby"][task]) | ({home_of(case)[old]} if old is not None else set())


def squares(counts: Counter[str]) -> int:
    return sum(count * count for count in counts.values())


def copies_worth(case: Document, chosen: Sequence[Choice]) -> tuple[int, int]:
    """How even all copies can be inside the chosen processes, and the restores of standbys."""
    loads = Counter(lead for lead, _ in chosen)
    for row in [row for _, row in chosen]:
        for id_ in row:
            members = next(client["members"] for client in case["clients"] if client["id"] == id_)
            loads[min(members, key=lambda member: loads[member])] += 1
    restores = sum(len(row - state(case, task)) for task, (_, row) in enumerate(chosen) if row)
    return squares(loads), restores


def worth(case: Document, chosen: Sequence[Choice]) -> Worth:
    return *active_worth(case, [lead for lead, _ in chosen]), *copies_worth(case, chosen)


def given(case: Document, chosen: Sequence[Choice]) -> Document:
    """The choices as a certificate has them; in each process the member with the fewest copies takes one."""
    loads = Counter(lead for lead, _ in chosen)
    assignment: dict[str, list[int]] = {str(member): [] for member in home_of(case)}
    standbys: dict[str, list[int]] = {str(member): [] for member in home_of(case)}
    for task, (lead, row) in enumerate(chosen):
        assignment[lead].append(task)
        for id_ in row:
            members = next(client["members"] for client in case["clients"] if client["id"] == id_)
            taker = min(members, key=lambda member: loads[member])
            loads[taker] += 1
            standbys[taker].append(task)
    return {"assignment": assignment, "standbys": standbys}


def every(case: Document) -> Iterator[tuple[Choice, ...]]:
    return itertools.product(*(choices(case, task) for task in range(case["tasks"])))


def chosen_by(case: Document, result: Document) -> tuple[Choice, ...]:
    home = home_of(case)
    lead = {task: member for member, tasks in result["assignment"].items() for task in tasks}
    rows = [
        frozenset(home[member] for member, tasks in result["standbys"].items() if task in tasks)
        for task in range(case["tasks"])
    ]
    return tuple((lead[task], rows[task]) for task in range(case["tasks"]))


def solved(case: Document, time_limit_s: float = 60.0) -> dict[str, Any]:
    return solve_document(case, Wanted(time_limit_s=time_limit_s))

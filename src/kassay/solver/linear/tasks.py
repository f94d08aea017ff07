"""Streams tasks as linear models: of clients with threads and racks, and of members inside processes.

`a_t_m` is 1 where task t is active on m, `s_t_m` where m has a standby of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kassay.solver.linear.model import Goals, LinearModel, Objective, Part, Terms, named, squares
from kassay.solver.streams.optimum import CHANGE, RESTORE
from kassay.solver.streams.problem import MemberTaskProblem, TaskProblem


def task_models(problem: TaskProblem | MemberTaskProblem, result: dict[str, Any]) -> Iterator[LinearModel]:
    """The model of the tasks; `shared_t_r` counts the copies of task t that rack r has beyond one."""
    goals = Goals(result["goals"])
    if isinstance(problem, TaskProblem):
        names = [*named("client", (client.id for client in problem.clients))]
        part, levels = _clients(problem)
    else:
        names = [*named("member", problem.member_ids)]
        part, levels = _members(problem)
    for level in levels:
        level.value = goals.proven(level.name) if level.name in goals else None
    yield LinearModel(names, part, [level for level in levels if level.name in goals])


def _clients(problem: TaskProblem) -> tuple[Part, list[Objective]]:
    part, clients = Part(), range(len(problem.clients))
    actives: list[Terms] = [[] for _ in clients]
    copies: list[Terms] = [[] for _ in clients]
    cost, rack = Objective("cost"), Objective("rack")
    known: dict[str, list[int]] = {}
    for c, client in enumerate(problem.clients):
        if client.rack is not None:
            known.setdefault(client.rack, []).append(c)
    for t, old in enumerate(problem.active):
        state = problem.state(t)
        leads = [part.column(f"a_{t}_{c}") for c in clients]
        others = [part.column(f"s_{t}_{c}") for c in clients] if problem.copies > 1 else []
        part.row([(name, 1) for name in leads], "E", 1)
        if others:
            part.row([(name, 1) for name in others], "E", problem.copies - 1)
        here: list[Terms] = [[(name, 1) for name in pair] for pair in zip(leads, others)] or [
            [(name, 1)] for name in leads
        ]
        for c in clients:
            actives[c].append((leads[c], 1))
            copies[c] += here[c]
            if others:
                part.row(here[c], "L", 1)
            restored = RESTORE * (c not in state)
            cost.terms += [(name, restored) for name, _ in here[c] if restored]
            cost.terms += [(leads[c], CHANGE)] if old is not None and old != c else []
        for r, places in enumerate(known.values() if others else ()):
            shared = f"shared_{t}_{r}"
            rack.real[shared] = None
            rack.terms.append((shared, 1))
            rack.row([*(term for c in places for term in here[c]), (shared, -1)], "L", 1)
    threads = [client.threads for client in problem.clients]
    return part, [
        _near_shares("balance of actives", threads, actives, problem.tasks),
        _near_shares("balance of copies", threads, copies, problem.tasks * problem.copies),
        cost,
        rack,
    ]


def _near_shares(name: str, threads: Sequence[int], counts: Sequence[Terms], total: int) -> Objective:
    """The sum of squares of (count * all threads - total * own threads)."""
    level, every = Objective(name), sum(threads)
    for c, (own, count) in enumerate(zip(threads, counts, strict=True)):
        level.constant += (total * own) ** 2
        units = [every * every * unit - 2 * every * total * own for unit in squares(0, len(count))]
        level.terms += level.steps(f"{name.split()[-1]}_{c}", count, units)
    return level


def _members(problem: MemberTaskProblem) -> tuple[Part, list[Objective]]:
    part, members = Part(), range(len(problem.member_ids))
    counts: dict[str, list[Terms]] = {
        name: [[] for _ in members] for name in ("stateful", "actives", "copies")
    }
    cost, moved, restores = Objective("cost"), Objective("moved"), Objective("standby restores")
    for t, old in enumerate(problem.active):
        stateful, state = t not in problem.stateless, problem.state(t)
        leads = [part.column(f"a_{t}_{m}") for m in members]
        part.row([(name, 1) for name in leads], "E", 1)
        others = [part.column(f"s_{t}_{m}") for m in members] if stateful and problem.following else []
        if others:
            part.row([(name, 1) for name in others], "E", problem.following)
            for inside in problem.members_of:
                part.row([(names[m], 1) for names in (leads, others) for m in inside], "L", 1)
        home = None if old is None else problem.process_of[old]
        for m, process in enumerate(problem.process_of):
            counts["actives"][m].append((leads[m], 1))
            counts["copies"][m] += [(names[m], 1) for names in (leads, others) if names]
            moved.terms += [(leads[m], 1)] if old is not None and old != m else []
            if stateful:
                counts["stateful"][m].append((leads[m], 1))
                paid = RESTORE * (process not in state) + CHANGE * (home not in (None, process))
                cost.terms += [(leads[m], paid)] if paid else []
            restores.terms += [(others[m], 1)] if others and process not in state else []
    balances = {name: Objective(f"balance of {name}") for name in counts}
    for name, level in balances.items():
        for m, count in enumerate(counts[name]):
            level.terms += level.steps(f"{name}_{m}", count, squares(0, len(count)))
    return part, [
        balances["stateful"],
        balances["actives"],
        cost,
        moved,
        balances["copies"],
        restores,
    ]

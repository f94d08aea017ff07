"""The independent checker of tasks with standbys; it shares no code with the solver.

Whatever the prices a client asks for copies and for active tasks, no assignment pays less than the
sum of each task's cheapest choice, prices included, and of each client's least (imbalance - price *
count). What is paid: `dear` times both imbalances, 3 a restore, 1 a change of active client.
Prices are in units of 1 / SCALE and in the order of client ids.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NamedTuple

from kassay.solver.check.refusal import Proven, require, squares, whole_prices
from kassay.solver.check.shares import Due

RESTORE: Final = 3
CHANGE: Final = 1
SCALE: Final = 16


class _Case(NamedTuple):
    threads: list[int]
    copies: int
    old: list[int | None]
    state: list[set[int]]
    active: list[int]
    standby: list[set[int]]

    @property
    def dear(self) -> int:
        return (RESTORE * self.copies + CHANGE) * len(self.old) + 1

    def shares(self, copies: int, scale: int = 1) -> list[Due]:
        """What each client is due of so many copies of all tasks."""
        every, total = sum(self.threads), len(self.old) * copies
        return [Due(own, every, total, scale * self.dear) for own in self.threads]


def check(certificate: Any) -> Proven:
    """What the certificate proves of its interval; raises `RefusedError` if it does not prove that."""
    case = _read(certificate)
    lower, upper = _interval(case, certificate)
    optimal = bool(certificate["balanced"]) and lower == upper
    both = " with the best of both balances" if certificate["balanced"] else ""
    actives = Counter(case.active)
    return Proven(
        f"optimal: both balances, and a cost of {upper}"
        if optimal
        else f"interval: a cost of {lower} to {upper}{both}",
        optimal,
        squares([actives[client] for client in range(len(case.threads))])
        | {key: certificate[key] for key in ("lower", "upper", "moved", "assignment", "standbys")},
    )


def _read(certificate: Any) -> _Case:
    instance = certificate["instance"]
    clients = sorted(instance["clients"], key=lambda client: str(client["id"]))
    place = {client["id"]: number for number, client in enumerate(clients)}
    threads = [client.get("threads", 1) for client in clients]
    require(len(place) == len(clients) > 0, "clients are not distinct")
    require(all(type(n) is int and n > 0 for n in threads), "threads are not whole numbers")
    tasks, standbys = instance["tasks"], instance["standbys"]
    require(all(type(n) is int and n >= 0 for n in (tasks, standbys)), "tasks are not whole numbers")
    old = [None if id_ is None else place[id_] for id_ in instance["active"]]
    state = [{place[id_] for id_ in row} for row in instance["standby"]]
    require(len(old) == len(state) == tasks, "the instance does not have all tasks")
    for holders, lead in zip(state, old, strict=True):
        if lead is not None:
            holders.add(lead)
    copies = 1 + min(standbys, len(clients) - 1)
    leads: dict[int, int] = {}
    for id_, listed in certificate["assignment"].items():
        for task in listed:
            require(type(task) is int and task not in leads, f"task {task} has two active clients")
            leads[task] = place[id_]
    require(sorted(leads) == list(range(tasks)), "not every task has an active client")
    standby: list[set[int]] = [set() for _ in range(tasks)]
    for id_, listed in certificate["standbys"].items():
        require(len(set(listed)) == len(listed), f"{id_} has a standby twice")
        for task in listed:
            require(type(task) is int and 0 <= task < tasks, f"no task {task}")
            standby[task].add(place[id_])
    for task, row in enumerate(standby):
        require(len(row) == copies - 1, f"task {task} has {len(row)} standbys, expected {copies - 1}")
        require(leads[task] not in row, f"task {task} has a standby beside its active task")
    return _Case(threads, copies, old, state, [leads[task] for task in range(tasks)], standby)


def _interval(case: _Case, certificate: Any) -> tuple[int, int]:
    changes = sum(lead is not None and lead != new for lead, new in zip(case.old, case.active, strict=True))
    require(certificate["moved"] == changes, f"{changes} active tasks move")
    restores = sum(
        len(({lead} | row) - state)
        for lead, row, state in zip(case.active, case.standby, case.state, strict=True)
    )
    upper = RESTORE * restores + CHANGE * changes
    require(certificate["upper"] == upper, f"the cost is {upper}")
    actives = Counter(case.active)
    copies = actives + Counter(c for row in case.standby for c in row)
    balance = sum(
        share.pays(counts[client])
        for shares, counts in ((case.shares(case.copies), copies), (case.shares(1), actives))
        for client, share in enumerate(shares)
    )
    prices = (whole_prices(certificate[key], len(case.threads)) for key in ("copy_prices", "active_prices"))
    proven = _lowest_payment(case, *prices) - balance
    lower = certificate["lower"]
    require(type(lower) is int and 0 <= lower <= upper, "the lower bound is no whole number up to the upper")
    if certificate["balanced"]:
        # All costs together are less than `dear`: a better balance would pay less than the bound.
        require(proven > -case.dear, "the balances are not proven")
        require(lower <= max(proven, 0), f"a cost of {max(proven, 0)} is proven, not {lower}")
    else:
        require(lower == 0, "without a proven balance no cost is proven")
    return lower, upper


def _lowest_payment(case: _Case, copy_prices: list[int], active_prices: list[int]) -> int:
    clients = range(len(case.threads))
    total = 0
    kinds = Counter((lead, frozenset(state)) for lead, state in zip(case.old, case.state, strict=True))
    for (lead, state), number in kinds.items():
        held = [copy_prices[c] + SCALE * RESTORE * (c not in state) for c in clients]
        order = sorted(held)
        rest = sum(order[: case.copies - 1])
        choices = []
        for c in clients:
            changed = SCALE * CHANGE * (lead is not None and c != lead)
            # The others are the cheapest but c: if c is one of those, the next one takes its place.
            others = rest if held[c] >= order[case.copies - 1] else sum(order[: case.copies]) - held[c]
            choices.append(held[c] + active_prices[c] + changed + others)
        total += number * min(choices)
    for prices, copies in ((copy_prices, case.copies), (active_prices, 1)):
        for share, price in zip(case.shares(copies, SCALE), prices, strict=True):
            total += share.least(price, len(case.old))
    return -(-total // SCALE)

"""The independent checker of tasks with standbys; it shares no code with the solver.

For any prices of copies and of active tasks at each client, no assignment pays less than the sum of each
task's cheapest choice, prices included, and of each client's least (imbalance - price * count). The payment:
`dear` times both imbalances, 3 for a restore, 1 for a change of active client. Prices are in units of 1 /
SCALE and in the order of client ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kassay.solver.check.members import FAMILY, pose_members, speaks_of_members
from kassay.solver.check.shapes import (
    ANYTHING,
    COUNT,
    FLAG,
    NAME,
    POSITIVE,
    SIZE,
    TEXT,
    WHOLE,
    Document,
    Due,
    Posed,
    ProofKind,
    Proven,
    ProvenQuestion,
    RefusedError,
    by_name,
    fit,
    nullable,
    one_of,
    one_price_each,
    record,
    require,
    rows,
    squares,
    within,
)

SCHEMA: Final = "kassay/tasks-certificate/1"
RESTORE: Final = 3
CHANGE: Final = 1
COSTS: Final = {"restore": RESTORE, "change of client": CHANGE}
SCALE: Final = 16

_INSTANCE: Final = record(
    {
        "family": one_of(FAMILY),
        "clients": rows(record({"id": NAME}, {"rack": NAME, "threads": POSITIVE})),
        "tasks": SIZE,
        "standbys": SIZE,
        "active": rows(nullable(TEXT)),
        "standby": rows(rows(TEXT)),
    },
    {"name": TEXT},
)


class Tasks(NamedTuple):
    """Tasks with their previous and new clients; clients are identified by their position."""

    threads: list[int]
    copies: int
    old: list[int | None]
    state: list[frozenset[int]]
    active: list[int]
    standby: list[set[int]]

    @property
    def dear(self) -> int:
        """The cost of one unit of imbalance: more than all restores and changes together."""
        return (RESTORE * self.copies + CHANGE) * len(self.old) + 1

    def shares(self, copies: int, scale: int = 1) -> list[Due]:
        """Each client's share of this number of copies of all tasks."""
        every, total = sum(self.threads), len(self.old) * copies
        return [Due(own, every, total, scale * self.dear) for own in self.threads]


def pose(document: Any) -> Posed:
    """The instance of a document; raises `RefusedError` for one that is none.

    Its canonical form has clients by id, and a task's standbys without its active client. `check.members`
    reads documents with members inside their clients.
    """
    if speaks_of_members(document):
        return pose_members(document)
    fit(_INSTANCE, document, "instance")
    clients = sorted(document["clients"], key=lambda client: str(client["id"]))
    ids, tasks = {client["id"] for client in clients}, document["tasks"]
    require(bool(clients), "the instance has no clients")
    require(len(ids) == len(clients), "clients are not distinct")
    within((client.get("threads") or 1 for client in clients), "clients", "threads")
    for field in ("active", "standby"):
        require(
            len(document[field]) == tasks, f"{field} has {len(document[field])} entries for {tasks} tasks"
        )
    for task, (lead, row) in enumerate(zip(document["active"], document["standby"], strict=True)):
        if not ids.issuperset(row) or not (lead is None or lead in ids):
            raise RefusedError(f"the state of task {task} is on a client that is not in the instance")
    form = {
        "family": FAMILY,
        "clients": [
            {"id": client["id"], "rack": client.get("rack"), "threads": client.get("threads") or 1}
            for client in clients
        ],
        "standbys": document["standbys"],
        "active": list(document["active"]),
        "standby": [
            sorted(set(row) - {lead})
            for lead, row in zip(document["active"], document["standby"], strict=True)
        ],
    }
    return Posed(form, f"{len(clients)} clients, {tasks} tasks with {document['standbys']} standbys")


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of its interval; raises `RefusedError` if it does not prove it."""
    case = read_tasks(form, certificate)
    restores, upper = _cost(case, certificate)
    lower, balanced = certificate["lower"], certificate["balanced"]
    _bound_holds(case, certificate)
    optimal = balanced and lower == upper
    actives = Counter(case.active)
    copies = actives + Counter(c for row in case.standby for c in row)
    clients = range(len(case.threads))
    both = " with the best of both balances" if balanced else ""
    return Proven(
        f"optimal: both balances, and a cost of {upper}"
        if optimal
        else f"interval: a cost of {lower} to {upper}{both}",
        ProvenQuestion(("balance of actives", "balance of copies", "cost"), COSTS),
        {
            **squares([actives[client] for client in clients]),
            "status": "optimal" if optimal else "interval",
            "goals": [
                _balance(case.threads, "balance of actives", actives, balanced),
                _balance(case.threads, "balance of copies", copies, balanced),
                {"goal": "cost", "value": upper, "bound": lower, "proven": optimal},
            ],
            "lower": lower,
            "upper": upper,
            "moved": certificate["moved"],
            "rack_mismatch": 0,
            "bound": "client prices for copies and actives, both balances first",
            "proven": [
                *(["balance of actives", "balance of copies"] if balanced else []),
                *(["cost"] if optimal else []),
            ],
            "copies": restores,
            "totals": sorted(copies[client] for client in clients),
            "assignment": certificate["assignment"],
            "standbys": certificate["standbys"],
        },
        least={"actives_first": upper},
    )


def _balance(threads: list[int], goal: str, counts: Counter[int], proven: bool) -> dict[str, Any]:
    """The goal of clients near their shares; unproven, its bound is the sum of the least distances."""
    total, every = counts.total(), sum(threads)
    value = sum((every * counts[c] - total * own) ** 2 for c, own in enumerate(threads))
    alone = sum(min(total * own % every, -total * own % every) ** 2 for own in threads)
    return {"goal": goal, "value": value, "bound": value if proven else alone, "proven": proven}


def read_tasks(form: Document, certificate: Document) -> Tasks:
    """The tasks of a certificate; raises `RefusedError` where a task lacks a required copy."""
    place = {client["id"]: number for number, client in enumerate(form["clients"])}
    tasks = len(form["active"])
    old = [None if id_ is None else place[id_] for id_ in form["active"]]
    state = [
        frozenset(place[id_] for id_ in (*row, lead) if id_ is not None)
        for lead, row in zip(form["active"], form["standby"], strict=True)
    ]
    copies = 1 + min(form["standbys"], len(place) - 1)
    leads = _holders(certificate["assignment"], place, tasks)
    standby = _holders(certificate["standbys"], place, tasks)
    for task, (lead, row) in enumerate(zip(leads, standby, strict=True)):
        if len(lead) != 1:
            raise RefusedError(f"task {task} has {len(lead)} active clients")
        if len(row) != copies - 1:
            raise RefusedError(f"task {task} has {len(row)} standbys, expected {copies - 1}")
        if not lead.isdisjoint(row):
            raise RefusedError(f"task {task} has a standby with its active task")
    threads = [client["threads"] for client in form["clients"]]
    return Tasks(threads, copies, old, state, [min(lead) for lead in leads], standby)


def _holders(
    numbers_by_client: Mapping[str, list[int]], place: Mapping[str, int], tasks: int
) -> list[set[int]]:
    """The clients that have each task."""
    require(numbers_by_client.keys() == place.keys(), "the tasks are not given to exactly the clients")
    holders: list[set[int]] = [set() for _ in range(tasks)]
    for id_, numbers in numbers_by_client.items():
        require(len(set(numbers)) == len(numbers), f"{id_} has a task twice")
        for task in numbers:
            if task >= tasks:
                raise RefusedError(f"no task {task}")
            holders[task].add(place[id_])
    return holders


def _cost(case: Tasks, certificate: Document) -> tuple[int, int]:
    """The number of restores, and the cost of restores and changes of active client."""
    changes = sum(lead is not None and lead != new for lead, new in zip(case.old, case.active, strict=True))
    require(certificate["moved"] == changes, f"{changes} active tasks move")
    restores = sum(
        len(({lead} | row) - state)
        for lead, row, state in zip(case.active, case.standby, case.state, strict=True)
    )
    upper = RESTORE * restores + CHANGE * changes
    require(certificate["upper"] == upper, f"the cost is {upper}")
    return restores, upper


def _bound_holds(case: Tasks, certificate: Document) -> None:
    """Check that the prices prove the statements about both balances and the cost."""
    lower = certificate["lower"]
    if not certificate["balanced"]:
        require(lower == 0, "without a proven balance no cost is proven")
        return
    paid = imbalance(case)
    places = len(case.threads)
    prices = [one_price_each(certificate[key], places) for key in ("copy_prices", "active_prices")]
    proven = -(-lowest_payment(case, prices[0], prices[1]) // SCALE) - paid
    # All costs together are less than `dear`, and imbalances differ by even numbers: a better one would pay
    # less than the bound.
    require(proven > -case.dear, "the balances are not proven")
    require(lower <= max(proven, 0), f"a cost of {max(proven, 0)} is proven, not {lower}")


def imbalance(case: Tasks) -> int:
    """The cost of both imbalances."""
    actives = Counter(case.active)
    copies = actives + Counter(c for row in case.standby for c in row)
    return sum(
        share.pays(counts[client])
        for shares, counts in ((case.shares(case.copies), copies), (case.shares(1), actives))
        for client, share in enumerate(shares)
    )


def lowest_payment(case: Tasks, copy_prices: list[int], active_prices: list[int]) -> int:
    """The least payment of every assignment, in 1 / SCALE, as the prices prove it."""
    clients = range(len(case.threads))
    by_copy = sorted(clients, key=copy_prices.__getitem__)
    by_both = sorted(clients, key=lambda c: copy_prices[c] + active_prices[c])
    total = 0
    kinds = Counter(zip(case.old, case.state, strict=True))
    for (lead, state), number in kinds.items():
        # All clients without the state pay their prices and the same in addition: the cheapest of them
        # suffice, one for each copy, and as active client the one with the least sum of both prices.
        most = case.copies + len(state) + 1
        near = state.union(by_copy[:most], by_both[:most])
        held = {c: copy_prices[c] + SCALE * RESTORE * (c not in state) for c in near}
        order = sorted(held.values())
        rest = sum(order[: case.copies - 1])
        choices = []
        for c in near:
            changed = SCALE * CHANGE * (lead is not None and c != lead)
            # The others are the cheapest except c: if c is one of those, the next one takes its place.
            others = rest if held[c] >= order[case.copies - 1] else sum(order[: case.copies]) - held[c]
            choices.append(held[c] + active_prices[c] + changed + others)
        total += number * min(choices)
    for prices, copies in ((copy_prices, case.copies), (active_prices, 1)):
        for share, price in zip(case.shares(copies, SCALE), prices, strict=True):
            total += share.least(price, len(case.old))
    return total


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda form: "stateless" not in form,
    shape=record(
        {
            "schema": one_of(SCHEMA),
            "instance": ANYTHING,
            "assignment": by_name(rows(COUNT)),
            "standbys": by_name(rows(COUNT)),
            "balanced": FLAG,
            "lower": COUNT,
            "upper": COUNT,
            "moved": COUNT,
            "copy_prices": rows(WHOLE),
            "active_prices": rows(WHOLE),
        }
    ),
    check=check,
)

"""Tasks with standbys on clients in racks: the goals of `tasks`, then few copies of a task in one rack.

A copy counts that is in a rack where the task has another already; a client without a rack is alone. No
assignment has fewer than what must share a rack for want of racks. Where the cost is proven more is known:
the prices prove it, so an assignment that costs as little picks for each task a choice that is dearer than
the cheapest, prices included, by no more than what the prices leave open. Where all such choices of a task
and one standby share a rack, it counts.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from kassay.solver.check.kinds import tasks
from kassay.solver.check.kinds.tasks import CHANGE, RESTORE, SCALE, Tasks
from kassay.solver.check.members import FAMILY
from kassay.solver.check.refusal import Document, ProofKind, Proven, one_of

SCHEMA: Final = "kassay/tasks-certificate/2"


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of each goal; raises `RefusedError` if it does not prove that."""
    proven = tasks.check(form, certificate)
    case = tasks.read_tasks(form, certificate)
    racks = [client["rack"] for client in form["clients"]]
    shared = sum(
        _shared([racks[c] for c in {lead} | row]) for lead, row in zip(case.active, case.standby, strict=True)
    )
    cheapest = proven.figures["status"] == "optimal"
    least = len(case.old) * max(0, case.copies - _places(racks))
    if cheapest and case.copies == 2:
        least = max(least, _forced(case, certificate, racks))
    met = cheapest and shared == least
    goal = {"goal": "rack", "value": shared, "bound": least, "proven": met}
    figures = proven.figures | {
        "status": "optimal" if met else "interval",
        "goals": [*proven.figures["goals"], goal],
        "rack_mismatch": shared,
    }
    reason = proven.reason if met == cheapest else f"interval: {proven.reason.partition(': ')[2]}"
    return Proven(
        f"{reason}; {shared} copies share a rack, {least} at the least", figures, least=proven.least
    )


def _shared(racks: list[str | None]) -> int:
    """How many of these are in a rack with one before them."""
    known = [rack for rack in racks if rack is not None]
    return len(known) - len(set(known))


def _places(racks: list[str | None]) -> int:
    """How many copies of a task can be apart."""
    return len({rack for rack in racks if rack is not None}) + racks.count(None)


def _forced(case: Tasks, certificate: Document, racks: list[str | None]) -> int:
    """The tasks with one standby that cannot be apart at the least cost."""
    copy_prices, active_prices = certificate["copy_prices"], certificate["active_prices"]
    paid = SCALE * (tasks.imbalance(case) + certificate["upper"])
    room = paid - tasks.lowest_payment(case, copy_prices, active_prices)
    clients = range(len(racks))
    forced = 0
    for (old, state), number in Counter(zip(case.old, case.state, strict=True)).items():
        held = [copy_prices[c] + SCALE * RESTORE * (c not in state) for c in clients]
        leads = [
            held[c] + active_prices[c] + SCALE * CHANGE * (old is not None and c != old) for c in clients
        ]
        order = sorted(clients, key=held.__getitem__)
        least = min(leads[c] + held[order[c == order[0]]] for c in clients)
        if not any(_apart(c, order, held, least + room - leads[c], racks) for c in clients):
            forced += number
    return forced


def _apart(lead: int, order: list[int], held: list[int], most: int, racks: list[str | None]) -> bool:
    """Whether a standby that costs no more can be in another rack than the active client."""
    for c in order:
        if held[c] > most:
            return False
        if c != lead and (racks[c] is None or racks[c] != racks[lead]):
            return True
    return False


def _shape(certificate: Any) -> None:
    tasks.KIND.shape(certificate | {"schema": tasks.SCHEMA} if isinstance(certificate, dict) else certificate)
    one_of(SCHEMA)(certificate["schema"])


KIND: Final = ProofKind(
    schema=SCHEMA, family=FAMILY, pose=tasks.pose, takes=tasks.KIND.takes, shape=_shape, check=check
)

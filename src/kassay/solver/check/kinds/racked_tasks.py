"""Tasks with standbys on clients in racks: the goals of `tasks`, then few copies of a task in one rack.

A copy counts if it is in a rack where the task already has another; a client without a rack is separate. No
assignment has fewer such copies than the number of racks forces. Where the cost is proven, more is known: an
assignment of the same cost picks for each task a choice whose cost, prices included, exceeds the cheapest by
no more than the gap that the prices leave. Where all such choices of a task and one standby share a rack, it
counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from itertools import islice
from typing import Any, Final, NamedTuple

from kassay.solver.check.kinds import tasks
from kassay.solver.check.kinds.tasks import CHANGE, RESTORE, SCALE, Tasks
from kassay.solver.check.members import FAMILY
from kassay.solver.check.shapes import Document, ProofKind, Proven, one_of

SCHEMA: Final = "kassay/tasks-certificate/2"


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of each goal; raises `RefusedError` if it does not prove it."""
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
    question = proven.question._replace(objectives=(*proven.question.objectives, "rack"))
    return Proven(
        f"{reason}; {shared} copies share a rack, {least} at the least", question, figures, least=proven.least
    )


def _shared(racks: list[str | None]) -> int:
    """How many of these are in a rack with an earlier one."""
    known = [rack for rack in racks if rack is not None]
    return len(known) - len(set(known))


def _places(racks: list[str | None]) -> int:
    """How many copies of a task can be in different racks."""
    return len({rack for rack in racks if rack is not None}) + racks.count(None)


def _forced(case: Tasks, certificate: Document, racks: list[str | None]) -> int:
    """The tasks with one standby that must share a rack at the least cost."""
    copy_prices, active_prices = certificate["copy_prices"], certificate["active_prices"]
    paid = SCALE * (tasks.imbalance(case) + certificate["upper"])
    room = paid - tasks.lowest_payment(case, copy_prices, active_prices)
    by_copy = sorted(range(len(racks)), key=copy_prices.__getitem__)
    by_lead = sorted(by_copy, key=lambda c: copy_prices[c] + active_prices[c])
    forced = 0
    for (old, state), number in Counter(zip(case.old, case.state, strict=True)).items():
        choice = _Choice(old, state, copy_prices, active_prices)
        first, second = islice(choice.in_order(by_copy, choice.held), 2)
        # Of the clients without anything of the task the cheapest leads, or the next where that one follows.
        leads = {*choice.near, *islice((c for c in by_lead if c not in choice.near), 2)}
        least = min(choice.led(c) + choice.held(second if c == first else first) for c in leads)
        for c in choice.in_order(by_lead, choice.led):
            most = least + room - choice.led(c)
            if choice.held(first) > most:
                forced += number
                break
            if _apart(c, choice.in_order(by_copy, choice.held), choice.held, most, racks):
                break
        else:
            forced += number
    return forced


class _Choice(NamedTuple):
    """The clients' costs for a task with previous client `old`, whose state is in `state`."""

    old: int | None
    state: frozenset[int]
    copy_prices: list[int]
    active_prices: list[int]

    @property
    def near(self) -> frozenset[int]:
        """The clients that had something of it; all others pay the same, prices aside."""
        return self.state if self.old is None else self.state | {self.old}

    def held(self, client: int) -> int:
        """A client's cost for a copy."""
        return self.copy_prices[client] + SCALE * RESTORE * (client not in self.state)

    def led(self, client: int) -> int:
        """A client's cost for the active task."""
        change = self.old is not None and client != self.old
        return self.held(client) + self.active_prices[client] + SCALE * CHANGE * change

    def in_order(self, others: list[int], paid: Callable[[int], int]) -> Iterator[int]:
        """All clients, least cost first; the `others` are already in that order."""
        near = self.near
        return merge(sorted(near, key=paid), (c for c in others if c not in near), key=paid)


def _apart(
    lead: int, order: Iterable[int], held: Callable[[int], int], most: int, racks: list[str | None]
) -> bool:
    """Whether a standby that costs no more can be in another rack than the active client."""
    for c in order:
        if held(c) > most:
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

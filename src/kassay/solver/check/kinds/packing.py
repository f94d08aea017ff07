"""A packing of partitions on members, each of its goals with a value and a bound.

The goals are: sorted loads, heaviest first, or with a tolerance a heaviest load within it of a bound that
the checker derives from the instance; then the cost of moves and rack mismatches in their order. With a
budget only packings count whose moves cost no more. With `enumerated` the checker examines all packings
itself; otherwise steps prove the loads (`solver/check/packing`) and prices the costs. A goal is proven
where its value is its bound and the goals before it are proven.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final, NamedTuple

from kassay.solver.check.consumers import ASSIGNMENT, FAMILY, ORDER, costed, pose
from kassay.solver.check.packing import (
    STEP,
    Complete,
    PackedUnits,
    Scales,
    bounds,
    complete,
    cost_of,
    derived_heaviest,
    least_paid,
    least_shed,
    read_packing,
)
from kassay.solver.check.shapes import (
    ANYTHING,
    COUNT,
    FLAG,
    POSITIVE,
    WHOLE,
    Document,
    ProofKind,
    Proven,
    ProvenQuestion,
    Shape,
    nullable,
    one_of,
    pair,
    record,
    require,
    rows,
    squares,
)
from kassay.solver.check.transfers import TRANSFERS, least_transfers

SCHEMA: Final = "kassay/packing-certificate/1"
MOVEMENT_FIRST: Final = "balance,movement,rack"


class PackingCase(NamedTuple):
    """A packing as the certificate has it, and its goals; a tolerance is measured from `base`."""

    packed: PackedUnits
    loads: list[int]
    moves: int
    mismatches: int
    movement_first: bool
    tolerance: Fraction | None
    budget: int | None
    base: int
    costed: bool

    @property
    def scales(self) -> Scales:
        """The weight of a unit of movement and of a mismatch in one number for both."""
        if self.movement_first:
            return Scales(1 + sum(len(unit.racks) for unit in self.packed.units), 1)
        return Scales(1, 1 + sum(sum(unit.costs) for unit in self.packed.units))

    @property
    def cap(self) -> int:
        """The most that a member may carry within the tolerance."""
        return self.base + int(self.base * (self.tolerance or 0))

    def limit(self, least: Bounds) -> int:
        """The same, or the least that the heaviest carries in any packing, where that is known to be more."""
        return max(self.cap, *least.loads[:1])


class Bounds(NamedTuple):
    """Lower bounds of loads, moves and mismatches; loads as far as they are known."""

    loads: list[int]
    moves: int
    mismatches: int


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of each goal; raises `RefusedError` if it does not prove that."""
    case = read_case(form, certificate)
    require(
        case.budget is None or case.movement_first,
        "a budget with racks first asks for a proof that says what a move counts",
    )
    least = enumerated(case) if certificate["enumerated"] else _priced(case, certificate)
    return proven_by(case, certificate, least)


def proven_by(case: PackingCase, certificate: Document, least: Bounds) -> Proven:
    """What follows from these bounds for each goal."""
    goals = _goals(case, least)
    proven = [goal["goal"] for goal in goals if goal["proven"]]
    optimal = len(proven) == len(goals)
    heaviest = least.loads[0] if least.loads else 0
    return Proven(
        "optimal: every goal is at its bound" if optimal else f"interval: {_words(goals)}",
        ProvenQuestion(
            tuple(goal["goal"] for goal in goals),
            {"move": "move_costs" if case.costed else 1},
            case.tolerance,
            None if case.tolerance is None else case.limit(least),
            case.budget,
        ),
        {
            **squares(case.packed.counts()),
            "status": "optimal" if optimal else "interval",
            "order": certificate["order"],
            "tolerance": certificate["tolerance"],
            "budget": certificate["budget"],
            "goals": goals,
            "lower": heaviest,
            "upper": case.loads[0],
            "max_weight": case.loads[0],
            "weights": case.loads[::-1],
            "moved": certificate["moved"],
            "move_cost": case.moves,
            "rack_mismatch": certificate["rack_mismatch"],
            "bound": "all packings" if certificate["enumerated"] else "steps for loads, prices for costs",
            "assignment": certificate["assignment"],
        },
    )


def read_case(form: Document, certificate: Document) -> PackingCase:
    """The packing of a certificate; raises `RefusedError` if it is invalid, or beyond its budget."""
    packed = read_packing(form, certificate, weighted=True)
    tolerance, budget = certificate["tolerance"], certificate["budget"]
    moves = sum([cost_of(unit, unit.owner) for unit in packed.units])
    require(tolerance is None or budget is None, "a tolerance and a budget exclude each other")
    require(budget is None or moves <= budget, f"the moves cost {moves}, which is above the budget")
    tolerated = None if tolerance is None else Fraction(*tolerance)
    return PackingCase(
        packed,
        sorted(packed.loads(), reverse=True),
        moves,
        certificate["rack_mismatch"],
        certificate["order"] == MOVEMENT_FIRST,
        tolerated,
        budget,
        0 if tolerated is None else derived_heaviest(packed),
        costed(form),
    )


def enumerated(case: PackingCase) -> Bounds:
    """The best of all packings, goal by goal."""
    most = case.loads
    if case.tolerance is not None:
        most = [max(case.cap, case.loads[0])] * len(case.loads)
    apart = case.budget is not None and not case.movement_first
    every = complete(case.packed, most, case.scales, case.budget, apart)

    def cost(each: Complete) -> int:
        return case.scales.move * each.moves + case.scales.wrong * each.mismatches

    if case.tolerance is None:
        best = min(every, key=lambda each: (each.loads, cost(each)))
        return Bounds(list(best.loads), best.moves, best.mismatches)
    heaviest = min(each.loads[0] for each in every)
    limit = max(case.cap, heaviest)
    best = min((each for each in every if each.loads[0] <= limit), key=cost)
    return Bounds([heaviest], best.moves, best.mismatches)


def _priced(case: PackingCase, certificate: Document) -> Bounds:
    """The bounds that steps and prices prove."""
    packed, loads, scales = case.packed, case.loads, case.scales
    if case.tolerance is None:
        least, limits = sorted_loads(case, certificate["steps"])
    else:
        require(not certificate["steps"], "with a tolerance no step is needed")
        least = [case.base]
        limits = [max(case.cap, loads[0])] * len(loads)
    paid = least_paid(packed, limits, scales, certificate["prices"])
    wrong = packed.least_mismatch()
    met = is_met(case, Bounds(least, 0, 0))
    shed = least_shed(packed, limits[0])
    if (transfers := certificate.get("transfers")) is not None:
        require(met and case.tolerance is None, "transfers are for loads that are proven")
        shed = max(shed, least_transfers(packed, loads, transfers))
    if case.movement_first:
        moves = max(shed, paid // scales.move)
        # If the best packing makes exactly these moves, the rest of its payment is mismatches.
        rest = paid - scales.move * case.moves if met and moves == case.moves else 0
        return Bounds(least, moves, max(wrong, rest))
    mismatches = max(wrong, paid // scales.wrong)
    rest = paid - scales.wrong * case.mismatches if met and mismatches == case.mismatches else 0
    return Bounds(least, max(shed, rest), mismatches)


def sorted_loads(case: PackingCase, steps: list[Document]) -> tuple[list[int], list[int]]:
    """Lower bounds of the loads, as far as steps prove them, and limits of loads that are as good."""
    loads = case.loads
    least = bounds(case.packed, loads, steps, case.budget)
    same = sum(bound == load for bound, load in zip(least, loads, strict=False))
    limits = [*loads[:same], *[loads[same]] * (len(loads) - same)] if same < len(loads) else loads
    return least, limits


def is_met(case: PackingCase, least: Bounds) -> bool:
    """Whether the balance is proven the best, or within the tolerance."""
    if case.tolerance is None:
        return least.loads == case.loads
    return case.loads[0] <= case.limit(least)


def _goals(case: PackingCase, least: Bounds) -> list[dict[str, Any]]:
    """Each goal with its value, its bound, and whether it is proven."""
    met = is_met(case, least)
    if case.tolerance is None:
        parts = None if met else _parting(case.loads, least.loads)
        balance = {
            "goal": "balance",
            "value": case.loads,
            "bound": least.loads,
            "proven": met,
            "parts_at": parts,
        }
    else:
        balance = {
            "goal": "heaviest",
            "value": case.loads[0],
            "bound": least.loads[0],
            "limit": case.limit(least),
            "proven": met,
        }
    costs = [("movement", case.moves, least.moves), ("rack", case.mismatches, least.mismatches)]
    goals = [balance]
    for name, value, bound in costs if case.movement_first else costs[::-1]:
        met = met and value == bound
        goals.append({"goal": name, "value": value, "bound": bound, "proven": met})
    return goals


def _parting(loads: list[int], least: list[int]) -> int:
    """The position, from 1 on, where loads and their lower bounds first differ."""
    same = (number for number, pair in enumerate(zip(loads, least, strict=False), 1) if pair[0] != pair[1])
    return next(same, len(least) + 1)


def _words(goals: list[dict[str, Any]]) -> str:
    balance, *costs = goals
    if balance["goal"] == "heaviest":
        words = f"the heaviest carries {balance['value']}, {balance['bound']} at the least"
    elif balance["proven"]:
        words = "the loads are proven"
    else:
        words = f"the loads part from their bound at position {balance['parts_at']}"
    return "; ".join(
        [words, *(f"{goal['goal']} {goal['value']}, {goal['bound']} at the least" for goal in costs)]
    )


FIELDS: Final[dict[str, Shape]] = {
    "instance": ANYTHING,
    "order": ORDER,
    "tolerance": nullable(pair(COUNT, POSITIVE)),
    "budget": nullable(COUNT),
    "assignment": ASSIGNMENT,
    "enumerated": FLAG,
    "steps": rows(STEP),
    "prices": rows(WHOLE),
    "moved": COUNT,
    "rack_mismatch": COUNT,
}
"""The fields of a certificate in addition to its schema."""

KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda _: True,
    shape=record({"schema": one_of(SCHEMA), **FIELDS}, {"transfers": TRANSFERS}),
    check=check,
)

"""The checker of packings accepts nothing that is not so, whatever is done to a certificate."""

from __future__ import annotations

import copy
import random
from fractions import Fraction
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.balance import ORDERS
from kassay.solver.check.check import check_certificate, pose
from kassay.solver.check.kinds import packing
from kassay.solver.check.packing import SCALE, derived_heaviest, read_packing
from kassay.solver.check.shapes import ProvenQuestion
from kassay.solver.groups.problem import Problem
from kassay.solver.packing import optimum
from kassay.solver.packing.bounds import tolerance_base
from kassay.solver.packing.items import Packing, Terms
from tests.solver.packing import cases


def _damaged(rng: random.Random, result: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The result with one to three things changed, in it, its certificate or its instance."""
    damaged = copy.deepcopy(result)
    certificate = damaged["certificate"]
    ids = list(certificate["assignment"])
    for _ in range(rng.randint(1, 3)):
        match rng.randrange(12):
            case 0 | 1 if certificate["assignment"]:
                giver, taker = rng.choice(ids), rng.choice(ids)
                topics = [name for name, held in certificate["assignment"].get(giver, {}).items() if held]
                if topics:
                    topic = rng.choice(topics)
                    number = certificate["assignment"][giver][topic].pop()
                    certificate["assignment"].setdefault(taker, {}).setdefault(topic, []).append(number)
                    damaged["assignment"] = certificate["assignment"]
            case 2:
                goal = rng.choice(damaged["goals"])
                goal["proven"] = not goal["proven"]
            case 3:
                goal = rng.choice(damaged["goals"])
                field = rng.choice(("value", "bound"))
                if isinstance(goal[field], int):
                    goal[field] = max(0, goal[field] + rng.choice((-2, -1, 1, 2)))
                elif goal[field]:
                    goal[field][rng.randrange(len(goal[field]))] += 1
            case 4:
                damaged["status"] = rng.choice(("optimal", "interval"))
            case 5 if certificate["steps"]:
                step = rng.choice(certificate["steps"])
                field = rng.choice(("position", "bound", "items", "grain"))
                step[field] = max(0, step[field] + rng.choice((-1, 1)))
            case 6 if certificate["steps"]:
                step = rng.choice(certificate["steps"])
                step["by"] = rng.choice(("mean", "count", "moves"))
                step["members"] = rng.sample(ids, rng.randint(0, len(ids)))
            case 7 if certificate["prices"]:
                prices = certificate["prices"]
                prices[rng.randrange(len(prices))] += rng.choice((-(10**8), -9, 10**7, 10**9))
            case 8:
                certificate["enumerated"] = not certificate["enumerated"]
            case 9:
                budget = rng.choice((None, 0, 2))
                certificate["budget"] = damaged["budget"] = budget
            case 10:
                tolerance = rng.choice((None, [0, 1], [1, 2]))
                certificate["tolerance"] = damaged["tolerance"] = tolerance
            case _:
                field = rng.choice(("steps", "prices", "assignment", "instance"))
                certificate[field] = copy.deepcopy(other["certificate"][field])
    return damaged


def _lie(damaged: dict[str, Any]) -> str | None:
    """What an accepted result says that is not so."""
    certificate = damaged["certificate"]
    tolerance = None if certificate["tolerance"] is None else Fraction(*certificate["tolerance"])
    terms = Terms(tuple(certificate["order"].split(",")), tolerance, certificate["budget"])
    case = certificate["instance"]
    lie = cases.lie_in(damaged["goals"], terms, cases.values(case), cases.measured_from(case))
    if lie is None and (damaged["status"] == "optimal") != all(goal["proven"] for goal in damaged["goals"]):
        return "the status"
    return lie


def _forge(seed: int, number: int, damages: int) -> tuple[int, int]:
    rng = random.Random(seed)
    accepted = refused = 0
    results: list[dict[str, Any]] = []
    while len(results) < number:
        case, terms = cases.any_case(rng), cases.any_terms(rng)
        try:
            results.append(cases.solved(case, terms, engine="own"))
        except InputError:
            continue
    for result in results:
        for _ in range(damages):
            damaged = _damaged(rng, result, rng.choice(results))
            try:
                checked = check_certificate(damaged)
            except InputError:
                refused += 1
                continue
            if not checked.accepted:
                refused += 1
                continue
            accepted += 1
            lie = _lie(damaged)
            assert lie is None, (lie, damaged)
    return accepted, refused


@pytest.mark.slow_cases("True")
@pytest.mark.parametrize("enumerated", [True, False])
def test_no_forgery_says_what_is_not_so(enumerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not enumerated:
        monkeypatch.setattr(optimum, "best_of_all", lambda *_: None)
    accepted, refused = _forge(71 + enumerated, 40, 15)
    assert accepted > 10
    assert refused > 300


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("enumerated", [True, False])
def test_no_forgery_of_thousands(seed: int, enumerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not enumerated:
        monkeypatch.setattr(optimum, "best_of_all", lambda *_: None)
    assert _forge(80 + seed, 150, 40)[1] > 3000


def _by_chance(rng: random.Random, case: dict[str, Any], terms: Terms, **proof: Any) -> dict[str, Any]:
    """A certificate of some packing, mostly not the best, with a proof that is given."""
    packed, owner = cases.packed(rng, case)
    problem, mismatched = packed.problem, packed.mismatched(owner)
    rows = problem.owners_by_topic(owner)
    return {
        "schema": packing.SCHEMA,
        "instance": problem.document(),
        "order": ",".join(terms.order),
        "tolerance": None if terms.tolerance is None else list(terms.tolerance.as_integer_ratio()),
        "budget": None,
        "assignment": problem.partitions_by_member(rows),
        "moved": sum(
            m not in (-1, rows[t][p])
            for t, row in problem.previous.items()
            if t in rows
            for p, m in enumerate(row)
        ),
        "rack_mismatch": mismatched,
        **proof,
    }


def _figures(certificate: dict[str, Any]) -> dict[str, Any]:
    return packing.check(pose(certificate["instance"]).form, certificate).figures


def test_a_packing_without_steps_is_not_called_the_best() -> None:
    rng, unproven = random.Random(77), 0
    for _ in range(60):
        case = cases.any_case(rng)
        terms = Terms(rng.choice(ORDERS))
        for _ in range(4):
            proof = _by_chance(rng, case, terms, enumerated=False, steps=[], prices=[])
            members = len(proof["instance"]["members"])
            proof["prices"] = [rng.choice((0, SCALE // 4, SCALE, 2 * SCALE)) for _ in range(members)]
            figures = _figures(proof)
            lie = _lie(figures | {"certificate": proof})
            assert lie is None, (lie, proof)
            unproven += not figures["goals"][0]["proven"]
    assert unproven > 60


def test_a_bound_on_moves_holds_for_every_packing_that_is_better_balanced() -> None:
    """Loads 5, 5, 2 need no move; they are better than 6, 3, 3, and not within them one by one."""
    case = cases.one_topic([4, 1, 3, 2, 2], 3)
    for member, partitions in zip(case["members"], ([0, 1], [2, 3], [4]), strict=True):
        member["owned"] = [["t", partition] for partition in partitions]
    certificate = {
        "schema": packing.SCHEMA,
        "instance": case,
        "order": "balance,movement,rack",
        "tolerance": None,
        "budget": None,
        "assignment": {"m0": {"t": [0, 3]}, "m1": {"t": [2]}, "m2": {"t": [1, 4]}},
        "moved": 2,
        "rack_mismatch": 0,
        "enumerated": False,
        "steps": [],
        "prices": [SCALE // 4, SCALE // 4, 0],
    }
    figures = _figures(certificate)
    assert figures["weights"] == [3, 3, 6]
    assert [goal["bound"] for goal in figures["goals"]] == [[], 0, 0]


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_what_is_enumerated_is_exact(order: tuple[str, ...]) -> None:
    """Within a tolerance of the derived bound, whatever the packing that is stated carries."""
    rng, above = random.Random(78), 0
    for _ in range(40):
        case = cases.any_case(rng)
        terms = Terms(order, tolerance=Fraction(1, rng.choice((1, 2, 5))))
        figures = _figures(_by_chance(rng, case, terms, enumerated=True, steps=[], prices=[]))
        every = cases.values(case)
        heaviest = min(loads[0] for loads, _, _ in every)
        base = cases.measured_from(case)
        limit = max(base + int(base * (terms.tolerance or 0)), heaviest)
        within = [v for v in every if v[0][0] <= limit]
        places = (1, 2) if order[1] == "movement" else (2, 1)
        least = min(tuple(v[place] for place in places) for v in within)
        assert tuple(goal["bound"] for goal in figures["goals"]) == (heaviest, *least)
        above += figures["upper"] > heaviest
    assert above > 5


def test_what_is_not_asked_together_is_refused() -> None:
    certificate = cases.solved(cases.one_topic([3, 2], 2), Terms(budget=4))["certificate"]
    assert check_certificate(certificate).accepted
    both = check_certificate(certificate | {"tolerance": [1, 20]})
    assert (both.accepted, both.reason) == (False, "a tolerance and a budget exclude each other")
    rack_first = check_certificate(certificate | {"order": "balance,rack,movement"})
    assert not rack_first.accepted
    assert "a budget with racks first asks for a proof that says what a move counts" in rack_first.reason


def test_moves_above_the_budget_are_refused() -> None:
    case = cases.one_topic([5, 1], 2)
    case["members"][0]["owned"] = [["t", 0], ["t", 1]]
    certificate = cases.solved(case, Terms(budget=1))["certificate"]
    assert check_certificate(certificate).accepted
    refused = check_certificate(certificate | {"budget": 0})
    assert (refused.accepted, refused.reason) == (False, "the moves cost 1, which is above the budget")


def test_the_question_names_order_tolerance_budget_and_costs() -> None:
    """A budget of 0, any tolerance and free moves all make an answer the best: the verdict says so."""
    case = cases.one_topic([5, 1], 2)
    case["members"][0]["owned"] = [["t", 0], ["t", 1]]
    order = ("balance", "rack", "movement")
    within = _question(cases.solved(case, Terms(budget=0))["certificate"])
    assert (within.objectives, within.budget) == (("balance", "movement", "rack"), 0)
    assert "minimised: balance, then movement, then rack; 1 for each move; budget 0" in within.sentence
    wide = _question(cases.solved(case, Terms(order, tolerance=Fraction(10**6)))["certificate"])
    assert (wide.objectives[0], wide.tolerance, wide.limit) == ("heaviest", 10**6, 5 + 5 * 10**6)
    assert "tolerance 100000000 %: at most 5000005 a member" in wide.sentence
    case["topics"][0]["move_costs"] = [0, 0]
    free = _question(cases.solved(case, Terms())["certificate"])
    assert free.costs == {"move": "move_costs"}


def _question(certificate: dict[str, Any]) -> ProvenQuestion:
    checked = check_certificate(certificate)
    assert checked.accepted and checked.question is not None
    document = checked.to_json()["question"]
    assert document["objectives"] == list(checked.question.objectives)
    assert document["budget"] == certificate["budget"]
    assert document["tolerance"] == certificate["tolerance"]
    return checked.question


def test_a_certificate_does_not_choose_what_its_tolerance_is_measured_from() -> None:
    case = cases.one_topic([4, 4, 4, 1], 2)
    certificate = cases.solved(case, Terms(tolerance=Fraction(0)))["certificate"]
    certificate |= {"enumerated": False, "prices": [0, 0]}
    assert check_certificate(certificate).accepted
    step = {"position": 1, "bound": 1, "by": "mean", "members": ["m0", "m1"], "items": 0, "grain": 1}
    refused = check_certificate(certificate | {"steps": [{**step, "prices": []}]})
    assert refused.reason == "with a tolerance no step is needed"


def test_the_bound_of_a_tolerance_is_what_its_definition_says() -> None:
    """Checker, solver and a naive count agree, and no packing has less on its heaviest member."""
    rng = random.Random(79)
    for _ in range(300):
        case = cases.any_case(rng)
        problem = Packing.of(Problem.parse(case))
        certificate = _by_chance(rng, case, Terms(), enumerated=True, steps=[], prices=[])
        packed = read_packing(pose(certificate["instance"]).form, certificate, weighted=True)
        bound = derived_heaviest(packed)
        assert bound == tolerance_base(problem) == cases.measured_from(case), case
        assert bound <= min(loads[0] for loads, _, _ in cases.values(case))

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check import balance as certificate
from kassay.solver.check import consumers as certificate_document_module
from kassay.solver.check.balance import ORDERS, BalanceCertificate, refusal
from kassay.solver.check.check import check_certificate
from kassay.solver.groups.optimum import best_assignment, figures
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import optimum_certificate
from kassay.solver.instances.groups import consumer
from tests.solver.groups import brute


def damaged(proof: BalanceCertificate, rng: Random) -> BalanceCertificate:
    """One thing changed: a price, a level, all levels, or the numbering of levels."""
    levels, prices = list(proof.levels), list(proof.prices)
    m = rng.randrange(len(levels))
    match rng.randrange(6):
        case 0:
            prices[m] += rng.choice([-1, 1, -9, 9, 10**6])
        case 1:
            levels[m] = rng.randrange(len(levels) + 1)
        case 2:
            levels = [rng.randrange(3) for _ in levels]
        case 3:
            levels = [2 * level for level in levels]
        case 4:
            levels = [level + 1 for level in levels]
        case _:
            prices = [rng.randrange(-3, 12) for _ in prices]
    return replace(proof, levels=tuple(levels), prices=tuple(prices))


@pytest.mark.parametrize("module", [certificate, certificate_document_module], ids=lambda m: m.__name__)
def test_the_checker_shares_no_code_with_the_solver(module: ModuleType) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    used = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    used |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    ours = {name for name in used if str(name).startswith("kassay")}
    assert ours <= {f"kassay.solver.check.{name}" for name in ("balance", "refusal", "shapes")}


def stated(problem: Problem, owners: brute.Owners, proof: BalanceCertificate) -> BalanceCertificate:
    """The proof put to another assignment, its figures as they are."""
    loads, moved, wrong = figures(problem, owners)
    return replace(proof, owners=owners, loads=loads, moved=moved, rack_mismatch=wrong)


def judge(seeds: range) -> tuple[int, int]:
    """All assignments of small problems: accepted iff optimal, and damage never helps the others."""
    rng = Random(seeds.start)
    asked = accepted = 0
    for document in brute.small(seeds):
        problem = Problem.parse(document)
        best = brute.best(problem)
        for order in ORDERS:
            proof = best_assignment(problem, order)
            for owners in brute.assignments(problem):
                if rng.random() > 60 / asked_size(problem):
                    continue
                mine = stated(problem, owners, proof)
                is_best = brute.value(problem, owners, order) == best[order]
                assert (refusal(problem, mine) is None) == is_best, document["name"]
                asked, accepted = asked + 1, accepted + is_best
                if not is_best:
                    for _ in range(3):
                        assert refusal(problem, damaged(mine, rng)) is not None, document["name"]
    return asked, accepted


def asked_size(problem: Problem) -> int:
    size = 1
    for bundle in problem.bundles:
        size *= len(problem.subscribers[bundle[0].name]) ** bundle[0].partitions
    return size


def test_exactly_the_optimal_assignments_are_accepted_and_damage_does_not_help() -> None:
    asked, accepted = judge(range(2000, 2012))
    assert asked > 2_000
    assert accepted > 50


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [30, pytest.param(300, marks=pytest.mark.deep)])
def test_exactly_the_optimal_assignments_are_accepted_in_tens_of_thousands(seeds: int) -> None:
    """A quarter of a CPU second a seed."""
    asked, accepted = judge(range(3000, 3000 + seeds))
    assert asked > 200 * seeds
    assert accepted > 4 * seeds


def test_a_level_number_without_members_is_refused() -> None:
    problem = Problem.parse(consumer("nested", 1, members=10, partitions=40))
    proof = best_assignment(problem)
    gap = tuple(level + (level > 0) for level in proof.levels)
    assert len(set(gap)) > 1
    assert "level number is missing" in str(refusal(problem, replace(proof, levels=gap)))


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
@pytest.mark.parametrize("shape", ["random", "nested", "groups", "racks"])
def test_damaged_documents_are_refused_or_still_true(shape: str, order: tuple[str, ...]) -> None:
    """A change anywhere in the JSON: what is accepted states the optimum of the instance it holds."""
    problem = Problem.parse(consumer(shape, 2, members=8, partitions=30))
    found = best_assignment(problem, order)
    document = optimum_certificate(found)
    assert check_certificate(document).accepted
    rng = Random(7)
    refused = 0
    for _ in range(400):
        broken = json.loads(json.dumps(document))
        place, key = rng.choice(list(leaves(broken)))
        place[key] = other(place[key], rng)
        try:
            checked = check_certificate(broken)
        except InputError:
            refused += 1
            continue
        refused += not checked.accepted
        assert checked.reason
        if checked.accepted:
            true = best_assignment(Problem.parse(broken["instance"]), tuple(broken["order"].split(",")))
            assert list(true.loads) == broken["loads"]
            assert (true.moved, true.rack_mismatch) == (broken["moved"], broken["rack_mismatch"])
    assert refused > 200


def leaves(node: Any) -> Iterator[tuple[Any, Any]]:
    entries = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in entries:
        if isinstance(value, dict | list) and value:
            yield from leaves(value)
        elif key != "name" and value != []:
            yield node, key


def other(value: Any, rng: Random) -> Any:
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, -1, 10**9, 0.5, True, None])
    return rng.choice(["t0000", "t0001", "m0001", "r1", "", None, 3])


@pytest.mark.parametrize(
    "junk",
    [
        {},
        {"instance": None},
        {"instance": {"members": [], "topics": []}, "assignment": {}, "levels": {}, "prices": {}},
    ],
)
def test_junk_is_unreadable(junk: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"missing|found"):
        check_certificate({"schema": "kassay/optimum-certificate/1"} | junk)

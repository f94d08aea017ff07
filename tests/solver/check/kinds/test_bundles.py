"""What multiples and prices prove of bundles, and for which loads the moves are."""

from __future__ import annotations

import random
from typing import Any, Final

from kassay.solver.check.check import Outcome, check_certificate
from tests.solver.check import forger
from tests.solver.check.intervals import interval_certificate
from tests.solver.packing import cases

CERTIFICATES: Final = [result["certificate"] for result in forger.genuine("bundles")]


def loads_of(certificate: dict[str, Any]) -> list[int]:
    return [sum(map(len, topics.values())) for topics in certificate["assignment"].values()]


def reason_against(certificate: dict[str, Any]) -> str:
    """Why it is refused; empty if it is accepted."""
    checked = check_certificate(certificate)
    return checked.reason if checked.outcome is Outcome.REFUSED else ""


def squares_with(load: int, loads: list[int]) -> int:
    """The least sum of squares of these loads where one member carries so much."""
    rest, others = sum(loads) - load, len(loads) - 1
    return load * load + sum((rest // others + (place < rest % others)) ** 2 for place in range(others))


def test_the_moves_are_for_all_loads_that_balance_as_well() -> None:
    below = above = 0
    for certificate in CERTIFICATES:
        loads = loads_of(certificate)
        if len(loads) < 2:
            continue
        moves = certificate["moves"] | {"moves": 0, "low": 0, "top": sum(loads)}
        least, most = min(loads), max(loads)
        if least and squares_with(least - 1, loads) <= certificate["upper"]:
            reason = reason_against(certificate | {"moves": moves | {"low": least}})
            assert f"a member could carry {least - 1}" in reason
            below += 1
        if most < sum(loads) and squares_with(most + 1, loads) <= certificate["upper"]:
            reason = reason_against(certificate | {"moves": moves | {"top": most}})
            assert f"a member could carry {most + 1}" in reason
            above += 1
    assert below
    assert above


def test_the_moves_are_for_the_loads_that_are_there() -> None:
    """However good the prices are for members that carry nothing."""
    reasons = set()
    for certificate in CERTIFICATES:
        if max(loads_of(certificate)):
            prices = [10**8] * len(certificate["assignment"])
            moves = {"low": 0, "top": 0, "prices": prices, "moves": 1}
            reasons.add(reason_against(certificate | {"moves": moves}).rstrip("0123456789"))
    assert "loads out of range" in reasons
    assert "" not in reasons


def test_no_multiple_proves_what_some_packing_is_below() -> None:
    rng, grains = random.Random(64), 0
    for _ in range(50):
        case = cases.bundled(rng)
        problem = cases.Problem.parse(case)
        if len(problem.bundle_sizes) < 2:
            continue
        best = min(squares for _, squares, *_ in cases.every(case))
        certificate = interval_certificate(rng, case, weighted=False)
        for grain in (2, 3, 4):
            assert reason_against(certificate | {"grain": grain, "lower": best + 1})
            grains += not reason_against(certificate | {"grain": grain, "lower": best})
    assert grains > 10


def test_movement_is_proven_only_where_as_many_moves_are() -> None:
    seen = 0
    for result in forger.genuine("bundles"):
        certificate = result["certificate"]
        if result["proven"][1:2] != ["movement"] or not certificate["moved"]:
            continue
        moves = certificate["moves"] | {"moves": 0}
        bare = result | {
            "certificate": certificate | {"moves": moves, "prices": [0] * len(certificate["prices"])}
        }
        bare["certificate"]["grain"] = 1
        checked = check_certificate(bare["certificate"])
        if checked.outcome is Outcome.REFUSED:
            continue
        plain = {"certificate": bare["certificate"], "moved_lower": 0}
        assert check_certificate(plain | {"proven": ["balance"]}).accepted
        assert not check_certificate(plain | {"proven": ["balance", "movement"]}).accepted
        seen += 1
    assert seen

"""A named bound is worth what it adds up to and no more, and the moves are those of this heaviest load."""

from __future__ import annotations

from typing import Any, Final

from kassay.solver.check.check import Outcome, check_certificate
from tests.solver.check import forger

CERTIFICATES: Final = [result["certificate"] for result in forger.genuine("weighted")]


def refused(certificate: dict[str, Any], why: str) -> bool:
    checked = check_certificate(certificate)
    return checked.outcome is Outcome.REFUSED and why in checked.reason


def test_a_bound_is_worth_what_it_adds_up_to_and_no_more() -> None:
    names = set()
    for certificate in CERTIFICATES:
        bound = certificate["bound"]
        names.add(bound["name"])
        more = certificate | {"bound": bound | {"value": bound["value"] + 1}}
        assert refused(more, f"the {bound['name']} proves {bound['value']}, not {bound['value'] + 1}")
    assert {"mean", "largest item"} <= names


def test_the_moves_are_those_of_every_packing_as_good() -> None:
    for certificate in CERTIFICATES:
        moves = certificate["moves"] | {"moves": 0}
        for other in (moves | {"top": certificate["upper"] - 1}, moves | {"low": 1}):
            if other["top"] >= 0:
                assert refused(certificate | {"moves": other}, "the moves are not for this heaviest load")

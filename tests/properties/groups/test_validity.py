"""Validity on answers that keep it and on ones that break it; the evidence names who and what."""

import pytest

from kassay.model.kinds import Kind
from kassay.properties.registry import Scope, load_claims, validity_claims
from tests.properties.groups.steps import (
    AB,
    COOPERATIVE,
    FAIR,
    evidence,
    member,
    rebalanced,
    step,
)


@pytest.mark.parametrize(
    ("claim", "good", "bad", "subject"),
    [
        ("members", step(AB, FAIR), step(AB, {"a": "t0 t1 t2 t3"}), "b"),
        ("members", step(AB, FAIR), step(AB, {**FAIR, "z": ""}), "z"),
        ("single-owner", step(AB, FAIR), step(AB, {"a": "t0 t1", "b": "t1 t2 t3"}), "t-1"),
        ("exists", step(AB, FAIR), step(AB, {"a": "t0 t1", "b": "t2 t3 t4"}), "t-4"),
        ("exists", step(AB, FAIR), step(AB, {"a": "t0 t1", "b": "t2 t3 x0"}), "x-0"),
        (
            "subscribed",
            step(AB, FAIR),
            step([member("a"), member("b", "u")], {"a": "t0 t1 t2", "b": "t3"}),
            "t-3",
        ),
    ],
)
def test_what_every_answer_must_do(claim, good, bad, subject):
    assert evidence(claim, good) == []
    found = evidence(claim, bad)
    assert found
    assert found[0].subject == subject
    assert found[0].facts


def test_complete_lets_a_cooperative_round_withhold_what_is_claimed():
    owner = [member("a", owned="t0 t1 t2 t3"), member("b")]
    first = step(owner, {"a": "t0 t1", "b": ""}, protocol=COOPERATIVE)
    second = step(
        [member("a", owned="t0 t1"), member("b", generation=2)],
        {"a": "t0 t1", "b": "t2 t3"},
        protocol=COOPERATIVE,
    )
    assert evidence("complete", rebalanced(first, second)) == []
    assert evidence("complete", rebalanced(step(owner, {"a": "t0 t1", "b": ""}))), "an eager one may not"
    forgotten = step([member("a", owned="t0"), member("b")], {"a": "t0", "b": ""}, protocol=COOPERATIVE)
    assert [e.subject for e in evidence("complete", rebalanced(forgotten, settled=False))] == [
        "t-1",
        "t-2",
        "t-3",
    ]
    assert evidence("complete", rebalanced(first, first)), "at the fixpoint none may be left"


def test_validity_is_what_the_claims_document_lists():
    assert {found.id for found in validity_claims(Kind.CLIENT)} == {
        "members", "single-owner", "exists", "subscribed", "complete", "total", "terminates", "pure",
    }  # fmt: skip
    timed = {claim.id for claim in load_claims().values() if claim.scope is Scope.TIMING}
    assert timed <= {"scales"}

"""A cause in one paragraph."""

from dataclasses import replace

import pytest

from kassay.certify.causes.cause import Cause, paragraph
from kassay.certify.runs.replay import read_trace
from kassay.properties.registry import load_claims
from tests.paths import ROOT

TRACE = read_trace(ROOT / "tests/data/faulty/double_owner.json")
CLAIM = load_claims()[TRACE.kind, "single-owner"]


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (Cause(True, ("m1 leaving",)), "What matters: m1 leaving; without it the claim is kept."),
        (
            Cause(True, ("m1 leaving",), ("m2's ownership of t-0",), ("2 members",)),
            "What matters: m1 leaving and m2's ownership of t-0; without any of these the claim is kept. "
            "It takes 2 members: with one less the claim is kept.",
        ),
        (
            Cause(True, extents=("2 members",)),
            "No event, ownership or setting matters. It takes 2 members: with",
        ),
        (Cause(True), "Nothing in the case matters: with anything left out it is broken all the same."),
        (Cause(True, ("a",), needless=("b", "c")), "It does not take b and c."),
        (Cause(True, tuple("abcdef")), "What matters: a, b, c, d and 2 more;"),
        (Cause(False), "Played again just now it did not break it"),
    ],
)
def test_what_matters_is_said(cause, said):
    assert said in paragraph(TRACE, CLAIM, cause)


def test_an_old_trace_and_an_unknown_claim_are_told_as_far_as_they_go():
    old = replace(TRACE, broken=(), could_be=None, narration=())
    text = paragraph(old, None, None, "no such file")
    assert text == (
        "tests/data/faulty/double_owner.py breaks single-owner. t0-0 (owners m0 m1). "
        "What matters in it cannot be tried: no such file."
    )


def test_a_place_that_is_not_told_is_left_out():
    lost = replace(TRACE, broken=({**TRACE.broken[0], "step": 9},))
    assert "breaks single-owner. " in paragraph(lost, CLAIM, None, "x")

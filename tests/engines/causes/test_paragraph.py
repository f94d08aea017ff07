"""A cause in one paragraph."""

from dataclasses import replace

import pytest

from kassay.engines.causes.cause import Cause, paragraph
from kassay.engines.runs.replay import read_trace
from kassay.properties.registry import load_claims
from tests.paths import ROOT

TRACE = read_trace(ROOT / "tests/data/faulty/double_owner.json")
CLAIM = load_claims()[TRACE.kind, "single-owner"]


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (Cause(True, ("m1 leaving",)), "The violation needs m1 leaving; without it, the claim holds."),
        (
            Cause(True, ("m1 leaving",), ("m2's ownership of t-0",), ("2 members",)),
            "The violation needs m1 leaving and m2's ownership of t-0; without any of these, the claim holds. "
            "It takes 2 members: with one fewer, the claim holds.",
        ),
        (
            Cause(True, extents=("2 members",)),
            "No single event, owned partition or setting is needed. It takes 2 members: with",
        ),
        (Cause(True), "No single part is needed: without any one of them it is violated all the same."),
        (Cause(True, ("a",), needless=("b", "c")), "Not needed: b and c."),
        (Cause(True, tuple("abcdef")), "The violation needs a, b, c, d and 2 more;"),
        (Cause(False), "Replayed, it did not violate the claim, so"),
    ],
)
def test_what_matters_is_said(cause, said):
    assert said in paragraph(TRACE, CLAIM, cause)


def test_an_old_trace_and_an_unknown_claim_are_told_as_far_as_they_go():
    old = replace(TRACE, broken=(), could_be=None, narration=())
    text = paragraph(old, None, None, "no such file")
    assert text == (
        "tests/data/faulty/double_owner.py violates single-owner. t0-0 was assigned to m0 and m1. "
        "The cause cannot be determined: no such file."
    )


def test_a_place_that_is_not_told_is_left_out():
    lost = replace(TRACE, broken=({**TRACE.broken[0], "step": 9},))
    assert "violates single-owner. " in paragraph(lost, CLAIM, None, "x")

"""A fix is derived from what a trace shows; a claim's fixed text is called that of the common cause."""

from __future__ import annotations

from typing import Any

import pytest

from kassay.engines.causes.cause import remedy
from kassay.engines.runs.replay import load_trace
from kassay.model.calls import Look
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import Kind
from kassay.properties.registry import load_claims
from tests.paths import ROOT


def shown(**facts: Any) -> dict[str, Any]:
    return {"step": 0, "round": None, "subject": "m1", "facts": facts}


@pytest.mark.parametrize("claim", load_claims().values(), ids=lambda claim: claim.id)
def test_a_claims_own_text_is_that_of_the_common_cause(claim: Any) -> None:
    for broken in (None, shown(owners=["m0", "m1"])):
        own = remedy(claim, broken)
        assert (own.text, own.is_derived) == (claim.fix, False)
        assert own.sentence == f"The usual fix is to {claim.fix}"


def _remedy(claim_id: str, kind: Kind = CLIENT, **facts: Any) -> str:
    derived = remedy(load_claims()[kind, claim_id], shown(**facts))
    assert derived.is_derived
    assert derived.sentence == f"A fix must {derived.text}"
    assert derived.common == (None if "while" in facts else load_claims()[kind, claim_id].fix)
    return derived.text


def test_a_call_without_an_answer_must_have_one() -> None:
    text = _remedy("total", **{"no answer": "assign raised KeyError: 't0' (a.py:7)"})
    assert text == "return an answer for this input"
    assert _remedy("total", refused="no members") == "accept this input"


@pytest.mark.parametrize("look", Look)
def test_a_second_look_names_what_the_answer_must_not_depend_on(look: Look) -> None:
    text = _remedy("order-independent", **{"second call": look.value}, first="t0-0", then="t0-1")
    word = {
        Look.AGAIN: "again",
        Look.OTHER: "another object",
        Look.PERMUTED: "order",
        Look.PROCESS: "process",
    }
    assert word[look] in text


def test_an_uneven_answer_names_the_members_and_no_topics() -> None:
    """The fault may be in a single topic: a fix must not count over several then."""
    text = _remedy("balanced-within-one", **{"has": 2, "while": "m0", "with": 0, "loads": {"m0": 0, "m1": 2}})
    assert text == "assign more to m0 and less to m1"


def test_recorded_traces_are_derived_where_their_evidence_shows_the_cause() -> None:
    claims = load_claims()
    derived = {
        trace.claim
        for path in sorted((ROOT / "tests" / "data" / "faulty").glob("*.json"))
        for trace in [load_trace(path).trace]
        for broken in trace.broken[:1]
        if remedy(claims[trace.kind, trace.claim], broken).is_derived
    }
    assert "pure" in derived and "single-owner" not in derived

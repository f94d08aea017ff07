"""Claims about answers, the same for every kind: who complains of a call without an answer, and of which look."""

from dataclasses import dataclass
from typing import Any

import pytest

from kassay.model.calls import Call, Failure, Look, Probe, Refusal
from kassay.model.errors import FailureKind
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE
from kassay.model.placement.kinds import PLANNER
from kassay.model.streams.kinds import STREAMS
from kassay.properties.answers import OF_UNANSWERED, unanswered_calls
from kassay.properties.registry import Evidence, load_claims

KINDS = [CLIENT, SERVER, SHARE, PLANNER, STREAMS]
"""The kinds whose steps have one answer; of these none may refuse."""


@dataclass(frozen=True)
class Asked:
    """A call of any kind, of whose input is known that no topic of it is unknown."""

    answer: Any
    probes: tuple[Probe[Any], ...] = ()
    mutated: str | None = None
    unknown: frozenset[str] = frozenset()

    @property
    def departing(self) -> tuple[Probe[Any], ...]:
        return Call("request", self.answer, self.probes).departing


def evidence(kind, claim_id, step):
    return list(load_claims()[kind, claim_id].predicate(step))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("failure", FailureKind)
def test_a_call_without_an_answer_breaks_one_claim_of_two(kind, failure):
    spent = failure in (FailureKind.TIMEOUT, FailureKind.MEMORY)
    gone = Failure(failure, "no answer")
    for step in (Asked(gone), Asked("fine", (Probe(Look.AGAIN, gone),))):
        assert [len(evidence(kind, claim_id, step)) for claim_id in ("total", "terminates")] == [
            int(not spent),
            int(spent),
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_nobodys_finding(kind):
    fine = Asked("fine", tuple(Probe(look, "fine") for look in Look))
    for claim_id in (*sorted(OF_UNANSWERED), "pure", "deterministic"):
        assert evidence(kind, claim_id, fine) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("look", Look)
def test_a_second_look_that_fails_is_seen_by_the_claims_that_take_it(kind, look):
    step = Asked("fine", (Probe(look, Failure(FailureKind.RAISED, "oh")),))
    for claim_id in ("pure", "deterministic", "order-independent"):
        if (kind, claim_id) in load_claims():
            claim = load_claims()[kind, claim_id]
            assert bool(list(claim.predicate(step))) is (look in claim.looks)


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_input_is_not_pure(kind):
    (found,) = evidence(kind, "pure", Asked("fine", mutated="the list"))
    words = f"{kind.method}() changed the input: the list."
    assert found == Evidence("the input", {"changed": "the list"}, words)


def test_calls_without_an_answer_are_named_by_the_look():
    gone, no = Failure(FailureKind.RAISED, "oh"), Refusal("X", "no")
    step = Asked(gone, (Probe(Look.AGAIN, "fine"), Probe(Look.OTHER, no)))
    assert [tuple(call) for call in unanswered_calls("place")(step)] == [
        ("place", gone, None, ""),
        ("place", no, Look.OTHER, "On another object with the same input, "),
    ]

"""Answers of assignors: there is one, and the same one again."""

import pytest

from kassay.model.calls import Failure, Look, Probe
from kassay.model.errors import FailureKind
from kassay.model.groups.group import Assignment
from kassay.model.groups.kinds import SERVER
from kassay.properties.registry import load_claims
from tests.properties.groups.steps import AB, FAIR, evidence, member, step, tps


def test_a_failure_is_not_total_or_does_not_terminate():
    crash = step(AB, Failure(FailureKind.RAISED, "raised KeyError: 'a'"))
    slow = step(AB, Failure(FailureKind.TIMEOUT, "no answer within 2 s"))
    assert "KeyError" in str(evidence("total", crash)[0].facts)
    assert evidence("total", slow) == []
    assert evidence("terminates", slow)
    assert evidence("terminates", crash) == []


def test_a_documented_refusal_is_an_answer_of_the_coordinator_only_for_unknown_topics():
    refused = Failure(FailureKind.RAISED, "raised", ("PartitionAssignorException",))
    total = load_claims()[SERVER, "total"].predicate
    assert list(total(step([member("a", "x")], refused))) == []
    assert list(total(step([member("a", "t")], refused)))
    assert evidence("total", step([member("a", "x")], refused))


@pytest.mark.parametrize("look", list(Look))
def test_second_looks(look):
    same = step(AB, FAIR, probes=(Probe(look, Assignment({"b": tps("t3 t2"), "a": tps("t0 t1")})),))
    other = step(AB, FAIR, probes=(Probe(look, Assignment({"a": tps("t0"), "b": tps("t1 t2 t3")})),))
    broken = step(AB, FAIR, probes=(Probe(look, Failure(FailureKind.RAISED, "oh")),))
    minded = {
        Look.AGAIN: {"pure", "deterministic"},
        Look.OTHER: {"pure", "deterministic"},
        Look.PERMUTED: {"order-independent"},
        Look.PROCESS: {"deterministic"},
    }[look]
    for claim in ("pure", "deterministic", "order-independent"):
        assert evidence(claim, same) == []
        for bad in (other, broken):
            assert bool(evidence(claim, bad)) is (claim in minded)


def test_a_changed_input_is_not_pure():
    assert evidence("pure", step(AB, FAIR, mutated="members[0]['owned']"))

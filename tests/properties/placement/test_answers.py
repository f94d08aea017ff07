"""Answers of placers: which refusals are proper, and what breaks which claim."""

from dataclasses import replace

import pytest

from kassay.model.calls import Failure, Look, Probe, Refusal
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.placement.plan import Move, Plan, PlanRequest, PlanStep
from kassay.model.placement.request import PlacementRequest, PlacementStep, place
from kassay.properties.claims import parse_claim
from kassay.properties.placement.answers import may_refuse
from kassay.properties.registry import applies, load_claims


def evidence(claim_id, step):
    found = parse_claim(claim_id, PLACER).kind
    return list(found.predicate(step)) if applies(found, step) else []


def test_a_refusal_is_proper_only_where_the_request_cannot_be_met():
    fine = PlacementRequest(2, 2, (Broker(0), Broker(1)))
    assert not may_refuse(fine)
    for hard in (
        replace(fine, replication_factor=3),
        replace(fine, partitions=0),
        replace(fine, replication_factor=0),
        replace(fine, brokers=(Broker(0), Broker(1, fenced=True))),
        replace(fine, brokers=(Broker(0), Broker(1, "a"))),
    ):
        assert may_refuse(hard)
        assert evidence("total", PlacementStep(hard, Refusal("X", "no"))) == []
    (found,) = evidence("total", PlacementStep(fine, Refusal("X", "no")))
    assert found.facts == {"refused": "no"}


def test_a_crash_and_a_timeout_break_different_claims():
    asked = PlacementRequest(1, 1, (Broker(0),))
    crash = PlacementStep(asked, Failure(FailureKind.DIED, "gone"))
    slow = PlacementStep(asked, Failure(FailureKind.TIMEOUT, "2 s"))
    assert [bool(evidence(c, crash)) for c in ("total", "terminates")] == [True, False]
    assert [bool(evidence(c, slow)) for c in ("total", "terminates")] == [False, True]


def test_any_error_will_do_for_too_few_brokers():
    class Index:
        def place(self, asked, random):
            return ((asked.brokers[asked.replication_factor - 1].broker_id,),)

    step = place(Index, PlacementRequest(1, 2, (Broker(0),)))
    assert isinstance(step.answer, Failure)
    assert evidence("total", step) == evidence("too-few-brokers", step) == []


def test_a_changed_input_is_not_pure():
    class Mutating:
        mutated = "brokers was [...] and is []"

        def place(self, asked, random):
            return ((0,),)

    (found,) = evidence("pure", place(Mutating, PlacementRequest(1, 1, (Broker(0),))))
    assert found.subject == "the input"


def test_a_target_failure_keeps_its_kind():
    class Malformed:
        def place(self, asked, random):
            raise TargetFailure(FailureKind.MALFORMED, "answer is None")

    step = place(Malformed, PlacementRequest(1, 1, (Broker(0),)))
    assert step.answer == Failure(FailureKind.MALFORMED, "answer is None")
    assert step.placed is None
    assert list(step.numbered()) == []


PLANNED = PlanRequest((Broker(0), Broker(1)), ((TopicPartition("t", 0), (0,)),), 1)
STAYS = Plan(PLANNED.brokers, PLANNED.before, (), 1)
MOVES = replace(STAYS, moves=(Move(TopicPartition("t", 0), 0, 1),))


@pytest.mark.parametrize("look", Look)
def test_a_second_plan_that_differs_breaks_the_claims_that_take_that_look(look):
    """A planner's partitions have an order: whether another one changes the plan is no claim."""
    claims = {claim_id: claim for (kind, claim_id), claim in load_claims().items() if kind is PLANNER}
    for second in (MOVES, Failure(FailureKind.RAISED, "oh")):
        step = PlanStep(PLANNED, STAYS, (Probe(look, second),))
        broken = {c for c in ("pure", "deterministic", "total") if list(claims[c].predicate(step))}
        expected = {c for c in ("pure", "deterministic") if look in claims[c].looks}
        assert broken == expected | ({"total"} if isinstance(second, Failure) else set())
    assert claims["pure"].looks == {Look.AGAIN, Look.OTHER}

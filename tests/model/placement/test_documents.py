"""Requests to placers and planners as documents, and how what came of them is shown."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.calls import Failure, Refusal
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import FailureKind, InputError
from kassay.model.placement.documents import PLACEMENT_REQUEST, PLAN_REQUEST, plan_step_to_json, step_to_json
from kassay.model.placement.plan import Move, Plan, PlanRequest, PlanStep
from kassay.model.placement.request import PlacementRequest, PlacementStep

rows = st.lists(st.integers(0, 4), max_size=3).map(tuple)
brokers = st.lists(
    st.builds(Broker, st.integers(0, 9), st.none() | st.sampled_from("ab"), st.booleans()),
    min_size=1,
    max_size=3,
).map(tuple)
small = st.integers(-1, 5)
placements = st.builds(
    PlacementRequest, small, small, brokers, st.lists(rows, max_size=2).map(tuple), small, small
)
befores = st.lists(
    st.tuples(st.builds(TopicPartition, st.sampled_from("tu"), st.integers(0, 3)), rows), max_size=3
)
plans = st.builds(PlanRequest, brokers, befores.map(tuple), st.just(1))


@settings(max_examples=30)
@given(placements)
def test_a_request_to_a_placer_is_read_back(request):
    assert PLACEMENT_REQUEST.read(json.loads(json.dumps(PLACEMENT_REQUEST.write(request))), "case") == request


@settings(max_examples=30)
@given(plans)
def test_a_request_to_a_planner_is_read_back(request):
    assert PLAN_REQUEST.read(json.loads(json.dumps(PLAN_REQUEST.write(request))), "case") == request


def test_a_factor_that_no_plan_can_have_is_refused():
    document = {"brokers": [{"id": 1}], "before": [], "replication_factor": 0}
    with pytest.raises(InputError, match=r"case.replication_factor: expected a whole number of at least 1"):
        PLAN_REQUEST.read(document, "case")
    with pytest.raises(InputError, match="expected one from 1 to 1"):
        PLAN_REQUEST.read(document | {"replication_factor": 2}, "case")


ASKED = PlacementRequest(1, 1, (Broker(1),), existing=((1,),))


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (((1,),), {"answer": [[1, [1]]]}),
        (Refusal("X", "no"), {"refused": {"java_class": "X", "message": "no"}}),
        (Failure(FailureKind.DIED, "gone"), {"failure": {"kind": "died", "message": "gone"}}),
    ],
)
def test_a_call_of_a_placer_is_shown_with_the_numbers_of_its_partitions(answer, shown):
    document = step_to_json(PlacementStep(ASKED, answer))
    assert document == {"request": PLACEMENT_REQUEST.write(ASKED)} | shown


def test_a_plan_is_shown_move_by_move_with_what_each_leads_to():
    tp = TopicPartition("t", 0)
    request = PlanRequest(tuple(map(Broker, (1, 2, 3))), ((tp, (1, 2)),), 2)
    plan = Plan(request.brokers, request.before, (Move(tp, 1, 3), Move(tp, 2, 1)), 2)
    moves = plan_step_to_json(PlanStep(request, plan))["moves"]
    assert [(move["source"], move["target"], move["replicas"]) for move in moves] == [
        (1, 3, [3, 2]),
        (2, 1, [3, 1]),
    ]
    failed = plan_step_to_json(PlanStep(request, Failure(FailureKind.DIED, "gone")))
    assert (failed["moves"], failed["failure"]["message"]) == ([], "gone")

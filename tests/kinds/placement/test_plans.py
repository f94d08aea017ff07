"""Planners certified: the driver judges, shrinks and writes down; the optimal planner reaches the optimum."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.placement.optimal_plan import OptimalPlan
from kassay.kinds.judging import Subject
from kassay.kinds.placement.kind import PlanDriver, best_plan, loads_after
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol
from kassay.model.placement.kinds import PLANNER
from kassay.model.placement.plan import Plan, PlanRequest, plan_step
from kassay.properties.claims import parse_claim
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.placement.scenarios import plan_request
from kassay.properties.registry import validity_claims
from kassay.properties.sources import Drawn, Seeded

DRIVER = PlanDriver(PLANNER)

PROFILE = GroupProfile(kind=PLANNER)

requests = st.composite(lambda draw: plan_request(Drawn(draw)))()


def subject(new, *claims, twin=None):
    names = [claim for claim in claims if claim not in {found.id for found in validity_claims(PLANNER)}]
    statements = (*validity_claims(PLANNER), *(parse_claim(name, PLANNER) for name in names))
    return Subject(lambda config: new(), RebalanceProtocol.EAGER, statements, twin=twin)


def broken(case, whom):
    return {violation.claim for violation in DRIVER.examine(case, whom).violations}


@given(requests)
def test_the_optimal_plan_keeps_every_claim_and_ends_at_the_optimum(case):
    claims = ("plan-valid", "plan-minimal", "rack-spread", "deterministic")
    whom = subject(OptimalPlan, *claims, twin=lambda config: OptimalPlan())
    seen = DRIVER.examine(case, whom)
    assert seen.violations == []
    of_moves = (
        set()
        if plan_step(OptimalPlan, case).given.moves
        else {"plan-valid", "replicas-distinct", "rack-spread"}
    )
    assert seen.judged.keys() == {found.id for found in whom.claims} - of_moves, (
        "an empty plan says nothing of moves"
    )
    plan = OptimalPlan().plan(case)
    assert loads_after(case, plan) == tuple(sorted(best_plan(case).replicas))
    here = {broker.broker_id for broker in case.brokers}
    assert all(here.issuperset(row) and len(row) == case.replication_factor for _, row in plan.after)


@given(requests)
def test_a_request_survives_being_written_down_and_smaller_ones_are_smaller(case):
    assert DRIVER.form.read(DRIVER.form.write(case), "case") == case
    for less in DRIVER.shrink_candidates(case):
        assert DRIVER.size(less) < DRIVER.size(case)
        assert all(len(row) == less.replication_factor for _, row in less.before)


def test_a_plan_that_does_not_reach_the_balance_is_not_judged_by_its_copies():
    class Idle:
        def plan(self, request):
            return Plan(request.brokers, request.before)

    case = PlanRequest((Broker(0), Broker(1)), tuple((TopicPartition("t", p), (0,)) for p in range(2)), 1)
    assert "plan-minimal" not in DRIVER.examine(case, subject(Idle, "plan-minimal")).judged


def test_an_error_is_a_violation_of_total_alone():
    class Raises:
        def plan(self, request):
            raise RuntimeError("no idea")

    case = DRIVER.generate(Seeded(0), PROFILE)
    assert broken(case, subject(Raises, "plan-valid")) == {"total"}
    assert "no idea" in DRIVER.narrate(case, subject(Raises))[0]["failure"]["message"]


def test_more_replicas_than_brokers_are_no_request():
    with pytest.raises(InputError, match="replication factor 2"):
        DRIVER.form.read({"brokers": [{"id": 0}], "before": [], "replication_factor": 2}, "case")

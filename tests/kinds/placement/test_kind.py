"""Placers certified: the driver judges, shrinks and writes down; the oracle agrees with brute force."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.placement.rack_aware import RackAware
from kassay.assignors.placement.striped import Striped
from kassay.kinds.judging import Subject
from kassay.kinds.placement.kind import PlacementCase, PlacementDriver
from kassay.kinds.registry import driver_for
from kassay.model.cluster import Broker
from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRequest
from kassay.properties.claims import parse_claim
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.placement.scenarios import request
from kassay.properties.registry import validity_claims
from kassay.properties.sources import Drawn, Seeded
from tests.kinds.descent import descent
from tests.mutants import placers

DRIVER = PlacementDriver(PLACER)

PROFILE = GroupProfile(kind=PLACER)

cases = st.builds(PlacementCase, st.composite(lambda draw: request(Drawn(draw)))(), st.integers(0, 2**31 - 1))


def subject(new, *claims):
    statements = (*validity_claims(PLACER), *(parse_claim(claim, PLACER) for claim in claims))
    return Subject(lambda config: new(), RebalanceProtocol.EAGER, statements)


def broken(case, whom):
    return {violation.claim for violation in DRIVER.examine(case, whom).violations}


@given(cases)
def test_a_case_survives_being_written_down(case):
    assert DRIVER.form.read(DRIVER.form.write(case), "case") == case


@pytest.mark.slow
@given(cases)
def test_smaller_cases_are_smaller_and_well_formed(case):
    for less in DRIVER.shrink_candidates(case):
        assert less == case or DRIVER.size(less) < DRIVER.size(case)
        assert less.request.partitions >= 1
        assert less.request.brokers
        known = {broker.broker_id for broker in less.request.brokers}
        assert all(known >= set(row) and len(set(row)) == len(row) for row in less.request.existing)


@given(cases)
def test_what_breaks_whatever_happens_shrinks_to_the_smallest_request(case):
    smallest = descent(DRIVER, case).request
    assert smallest == PlacementRequest(1, 1, (Broker(0),))


@pytest.mark.parametrize("new", [Striped, RackAware])
def test_references_keep_validity(new):
    for seed in range(200):
        case = DRIVER.generate(Seeded(seed), PROFILE)
        assert broken(case, subject(new)) == set()


def test_every_situation_is_reached_and_every_promise_judged():
    whom = subject(placers.Sound, "leaders-even", "rack-spread", "deterministic")
    seen = [DRIVER.examine(DRIVER.generate(Seeded(seed), PROFILE), whom) for seed in range(200)]
    assert {name for one in seen for name in one.reached} == {
        "uneven-racks",
        "fenced",
        "rf-near-brokers",
        "partitions-added",
    }
    judged = {name for one in seen for name in one.judged}
    assert judged == {made.id for made in whom.claims}


@pytest.mark.parametrize("claim", ["leaders-even", "replicas-even"])
def test_an_uneven_placer_is_found_by_the_certified_best(claim):
    whom = subject(placers.FavoursFirst, claim)
    assert any(claim in broken(DRIVER.generate(Seeded(seed), PROFILE), whom) for seed in range(50))


def test_another_process_is_a_second_look():
    whom = subject(placers.Sound, "deterministic")
    twin = Subject(whom.new, whom.protocol, whom.claims, twin=lambda config: placers.FavoursFirst())
    case = PlacementCase(PlacementRequest(3, 1, (Broker(0), Broker(1))), 0)
    assert broken(case, whom) == set()
    assert broken(case, twin) == {"deterministic"}


def test_what_happened_is_told_in_domain_words():
    case = PlacementCase(PlacementRequest(1, 2, (Broker(0), Broker(1))), 0)
    (told,) = DRIVER.narrate(case, subject(Striped))
    assert sorted(told["answer"][0][1]) == [0, 1]
    (told,) = DRIVER.narrate(case._replace(request=PlacementRequest(1, 2, (Broker(0),))), subject(Striped))
    assert told["refused"]["java_class"].endswith("InvalidReplicationFactorException")
    (told,) = DRIVER.narrate(
        case._replace(request=PlacementRequest(1, 1, (Broker(0),))), subject(placers.CrashesOnFewBrokers)
    )
    assert told["failure"]["kind"] == "raised"


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [
        ({"partitions": "3"}, "case.request.partitions: expected a whole number .* at most 1000000, got '3'"),
        ({"brokers": [{"rack": "a"}]}, r"case.request.brokers\[0\].id: missing"),
        ({"existing": [[0, "x"]]}, r"case.request.existing\[0\]\[1\]: expected a whole number"),
    ],
)
def test_a_document_of_another_form_is_bad_input(spoilt, told):
    document = DRIVER.form.write(PlacementCase(PlacementRequest(1, 1, (Broker(0),)), 0))
    document["request"] |= spoilt
    with pytest.raises(InputError, match=told):
        DRIVER.form.read(document, "case")


def test_the_driver_serves_placers():
    assert isinstance(driver_for(PLACER), PlacementDriver)
    assert DRIVER.counts(PlacementCase(PlacementRequest(4, 1, (Broker(0),)), 0)) == {
        "members": 1,
        "partitions": 4,
        "events": 1,
    }

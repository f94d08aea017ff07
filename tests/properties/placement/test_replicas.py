"""The claims about placers: right answers pass, each fault is found, and an oracle agrees."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.assignors.registry import load_all
from kassay.model.calls import Look
from kassay.model.cluster import Broker
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRequest, PlacementStep, place
from kassay.properties.claims import parse_claim
from kassay.properties.machines.placement import JUDGED, broken
from kassay.properties.placement.replicas import RackRule, rack_rule
from kassay.properties.placement.scenarios import request
from kassay.properties.registry import Scope, applies, load_claims, validity_claims
from kassay.properties.sources import Drawn, Seeded
from tests.mutants import placers

LOOKS = (Look.AGAIN, Look.OTHER, Look.PERMUTED)

CASES = [c.id for (kind, _), c in load_claims().items() if kind == PLACER and c.scope is Scope.STEP]

PLACERS = {spec: found for spec, found in load_all().items() if found.kind == PLACER}

requests = st.composite(lambda draw: request(Drawn(draw)))()


def evidence(claim_id, step):
    found = parse_claim(claim_id, PLACER).kind
    return list(found.predicate(step)) if applies(found, step) else []


def steps(new, count=400):
    return (place(new, request(Seeded(seed)), seed, LOOKS) for seed in range(count))


@pytest.mark.parametrize("spec", PLACERS)
@given(asked=requests, seed=st.integers(0, 2**32))
def test_a_reference_keeps_validity_and_what_it_claims(spec, asked, seed):
    step = place(PLACERS[spec].factory, asked, seed, (Look.AGAIN, Look.OTHER))
    for claim_id in {*(made.id for made in validity_claims(PLACER)), *PLACERS[spec].claims}:
        assert evidence(claim_id, step) == []


@given(asked=requests)
def test_a_sound_placer_breaks_no_claim(asked):
    step = place(placers.Sound, asked, 0, LOOKS)
    assert [found for claim_id in CASES for found in evidence(claim_id, step)] == []


@pytest.mark.parametrize(
    ("claim_id", "faulty"), [(c, one) for c, several in placers.FAULTY.items() for one in several]
)
def test_each_fault_is_found(claim_id, faulty):
    assert any(evidence(claim_id, step) for step in steps(faulty)), f"{faulty.__name__} escaped"


@pytest.mark.parametrize("claim_id", sorted(JUDGED))
@pytest.mark.parametrize(
    "new",
    [
        *(one for several in placers.FAULTY.values() for one in several),
        PLACERS["placement:rack-aware"].factory,
    ],
)
def test_the_claims_say_what_trying_all_sets_of_brokers_says(claim_id, new):
    for step in steps(new, 60):
        assert bool(evidence(claim_id, step)) == (claim_id in broken(step)), step


@settings(max_examples=300)
@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=5), data=st.data())
def test_the_rack_rule_is_the_least_crowded_way(sizes, data):
    brokers = [Broker(10 * r + i, f"r{r}") for r, size in enumerate(sizes) for i in range(size)]
    factor = data.draw(st.integers(1, len(brokers)))
    rule = rack_rule(brokers, factor)
    assert rule.racks == min(factor, len(sizes))
    assert sum(min(size, rule.most) for size in sizes) >= factor
    assert sum(min(size, rule.most - 1) for size in sizes) < factor
    if all(size >= -(-factor // len(sizes)) for size in sizes):
        assert rule.most == -(-factor // len(sizes))


def test_a_placer_may_keep_to_the_racks_of_unfenced_brokers():
    brokers = (Broker(0, "a"), Broker(1, "a"), Broker(2, "b", fenced=True))
    asked = PlacementRequest(1, 2, brokers)
    assert evidence("rack-spread", PlacementStep(asked, ((0, 1),))) == []
    unfenced = replace(asked, brokers=tuple(b._replace(fenced=False) for b in brokers))
    (found,) = evidence("rack-spread", PlacementStep(unfenced, ((0, 1),)))
    assert found.facts["in racks"] == ("a", "a")
    assert rack_rule(brokers, 2) == RackRule(racks=2, most=1)


def test_a_leader_without_a_choice_of_followers_is_not_held_to_follower_spread():
    """Racks of 3 and 1 and two replicas: whoever leads in the large rack is followed by the one broker."""
    asked = PlacementRequest(8, 2, tuple(Broker(i, "a" if i < 3 else "b") for i in range(4)))
    forced = PlacementStep(asked, ((0, 3),) * 8)
    assert evidence("follower-spread", forced) == []
    (found,) = evidence("follower-spread", PlacementStep(asked, ((3, 0),) * 8))
    assert found.subject == "broker 3"


@pytest.mark.parametrize("partitions", [1, 2, 3])
def test_partial_racks_are_refused_however_little_is_placed(partitions):
    asked = PlacementRequest(partitions, 1, (Broker(0), Broker(1, "a")))
    assert evidence("partial-racks-refused", PlacementStep(asked, ((0,),) * partitions))

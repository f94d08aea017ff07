"""The machine lets sound placers through and stops each faulty one.

The oracle and the claims of placers agree on placements good and bad, and share nothing.
"""

import random
from collections import Counter

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from kassay.assignors.registry import load_all
from kassay.model.cluster import Broker
from kassay.model.errors import InputError
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRequest, PlacementStep
from kassay.properties.machines.placement import JUDGED, broken, placement_machine
from kassay.properties.placement.scenarios import request
from kassay.properties.registry import applies, load_claims
from kassay.properties.sources import Seeded
from tests.mutants import placers

QUICK = settings(max_examples=40, stateful_step_count=20, deadline=None, database=None, derandomize=True)
SEARCH = settings(QUICK, max_examples=300, phases=[Phase.generate], print_blob=False)
PLACERS = {spec: found for spec, found in load_all().items() if found.kind == PLACER}
SEEN_BY_THE_MACHINE = {
    claim_id: faulty
    for claim_id, faulty in placers.FAULTY.items()
    if claim_id not in ("deterministic", "order-independent")
}


@pytest.mark.slow_cases("placement:striped")
@pytest.mark.parametrize("spec", PLACERS)
def test_a_reference_keeps_what_it_claims(spec):
    run_state_machine_as_test(placement_machine(PLACERS[spec].factory, PLACERS[spec].claims), settings=QUICK)


@pytest.mark.slow
def test_a_sound_placer_keeps_every_claim():
    claims = ("rack-spread", "partial-racks-refused", "follower-spread", "no-fenced-leader", "deterministic")
    run_state_machine_as_test(placement_machine(placers.Sound, claims), settings=QUICK)


@pytest.mark.parametrize(
    ("claim_id", "faulty"), [(c, one) for c, several in SEEN_BY_THE_MACHINE.items() for one in several]
)
def test_each_fault_stops_it(claim_id, faulty):
    with pytest.raises(AssertionError, match=claim_id):
        run_state_machine_as_test(placement_machine(faulty, (claim_id,)), settings=SEARCH)


def test_a_claim_of_another_kind_is_bad_input():
    with pytest.raises(InputError, match="kind partitioner"):
        placement_machine(placers.Sound, ("hash-compatible",))


CLAIMS = {claim_id: load_claims()[PLACER, claim_id] for claim_id in sorted(JUDGED)}
FOUR = tuple(Broker(i, "ab"[i % 2]) for i in range(4))


def claimed(step):
    """The claims that say themselves that the step breaks them."""
    return {
        claim_id for claim_id, claim in CLAIMS.items() if applies(claim, step) and list(claim.predicate(step))
    }


def test_oracle_and_claims_agree_on_any_rows():
    rng = random.Random(71)
    seen = Counter()
    for seed in range(500):
        asked = request(Seeded(seed))
        ids = [broker.broker_id for broker in asked.brokers]
        size = min(asked.replication_factor, len(ids))
        same = rng.sample(ids, size)
        rows = []
        for _ in range(min(asked.partitions, 12)):
            row = rng.sample(ids, size) if rng.random() < 0.7 else same
            rows.append(tuple(row if rng.random() < 0.97 else [*row[1:], rng.choice([*ids, 99])]))
        step = PlacementStep(asked, tuple(rows))
        assert broken(step) == claimed(step), seed
        seen.update(broken(step))
    assert set(seen) == JUDGED


@pytest.mark.parametrize(
    ("rows", "faults"),
    [
        (((0, 1), (1, 0)), set()),
        (((0, 2), (1, 0)), {"rack-spread"}),
        (((0, 0), (1, 0)), {"replicas-distinct", "rack-spread"}),
        (((0, 1),), {"replicas-distinct"}),
    ],
)
def test_a_placement_breaks_what_it_breaks(rows, faults):
    assert broken(PlacementStep(PlacementRequest(2, 2, FOUR), rows)) == faults


def test_a_fenced_leader_a_stuck_leader_and_a_bare_broker():
    fenced = (*FOUR[:3], FOUR[3]._replace(fenced=True))
    assert broken(PlacementStep(PlacementRequest(1, 2, fenced), ((3, 0),))) == {"no-fenced-leader"}
    stuck = ((0, 1),) * 4
    assert broken(PlacementStep(PlacementRequest(4, 2, FOUR), stuck)) == {"follower-spread"}
    assert broken(PlacementStep(PlacementRequest(4, 2, FOUR), (*stuck[1:], (0, 3)))) == set()
    bare = (*FOUR[:3], Broker(3))
    assert broken(PlacementStep(PlacementRequest(1, 1, bare), ((0,),))) == {"partial-racks-refused"}
    assert broken(PlacementStep(PlacementRequest(1, 5, FOUR), ((0, 1, 2, 3),))) >= {"too-few-brokers"}


def test_without_an_answer_there_is_nothing_to_judge():
    from kassay.model.calls import Refusal

    assert broken(PlacementStep(PlacementRequest(1, 5, FOUR), Refusal("X", "no"))) == frozenset()

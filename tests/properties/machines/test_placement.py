"""The machine lets sound placers through and stops each faulty one."""

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from kassay.assignors.registry import load_all
from kassay.model.errors import InputError
from kassay.model.placement.kinds import PLACER
from kassay.properties.machines.placement import placement_machine
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

"""The controls: found where they stand, told apart, and each caught by its claim."""

import pytest

from kassay.certify.faulty.registry import controls_of, load_controls
from kassay.certify.kinds.judging import Subject
from kassay.certify.kinds.registry import driver_for
from kassay.model.kinds import Kind
from kassay.properties.groups.histories.generator import Profile
from kassay.properties.registry import promise
from kassay.properties.sources import Seeded, derive_seed

# Those of clients have a test of their own, which shrinks too; one that breaks `deterministic` needs another process.
OTHERS = [c for c in load_controls() if c.kind is not Kind.CLIENT and c.breaks != "deterministic"]


@pytest.mark.parametrize("control", OTHERS, ids=lambda control: f"{control.kind}-{control.name}")
def test_every_control_is_caught_by_its_claim(control):
    driver, claim = driver_for(control.kind), promise(control.breaks, control.kind)
    subject = Subject(control.new, control.protocol, (claim,))
    cases = (driver.generate(Seeded(derive_seed(0, i)), Profile(kind=control.kind)) for i in range(150))
    assert any(driver.examine(case, subject).violations for case in cases)


def test_every_kind_but_those_on_the_coordinator_has_controls_with_names_of_their_own():
    names = [(control.kind, control.name) for control in load_controls()]
    assert len(set(names)) == len(names)
    without = {Kind.SERVER, Kind.SHARE, Kind.COORDINATOR}
    assert {kind for kind in Kind if not controls_of(kind)} == without

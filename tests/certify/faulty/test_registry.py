"""Every control breaks a claim of its kind, and opens as a target of its own."""

import pytest

from kassay.certify.faulty.registry import controls_of, load_controls
from kassay.model.kinds import Kind
from kassay.properties.registry import promise

CONTROLS = load_controls()


def test_controls_are_told_apart_and_stand_by_their_kind():
    assert len({(control.kind, control.name) for control in CONTROLS}) == len(CONTROLS)
    assert sorted(c.name for kind in Kind for c in controls_of(kind)) == sorted(c.name for c in CONTROLS)
    assert {kind for kind in Kind if controls_of(kind)} >= {Kind.CLIENT, Kind.PLACER, Kind.PARTITIONER}


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: f"{control.kind}-{control.name}")
def test_a_control_breaks_a_claim_of_its_kind_and_can_be_opened(control):
    assert promise(control.breaks, control.kind).id.partition(":")[0] == control.breaks.partition(":")[0]
    target = control.target()
    assert (target.kind, target.protocol) == (control.kind, control.protocol)
    with target.open() as host:
        assert isinstance(host.new({}), control.factory)
    assert (control.factory.__doc__ or "").strip(), "list controls shows it"

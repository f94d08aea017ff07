"""The controls: found where they stand, and told apart."""

from kassay.certify.faulty.registry import controls_of, load_controls
from kassay.model.kinds import Kind


def test_every_kind_but_those_on_the_coordinator_has_controls_with_names_of_their_own():
    names = [(control.kind, control.name) for control in load_controls()]
    assert len(set(names)) == len(names)
    without = {Kind.SERVER, Kind.SHARE, Kind.COORDINATOR}
    assert {kind for kind in Kind if not controls_of(kind)} == without

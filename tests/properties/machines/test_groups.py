"""The group machine passes what is right and catches what is wrong."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from kassay.assignors.registry import load_all
from kassay.kinds.controls import controls_of
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.machines.groups import GroupMachine, machine_for
from kassay.properties.registry import validity_claims

SETTINGS = settings(
    max_examples=10, stateful_step_count=10, deadline=None, suppress_health_check=list(HealthCheck)
)
# Found within a few dozen examples; the first finding ends the search.
SEARCH = settings(SETTINGS, max_examples=150, derandomize=True, phases=(Phase.generate,))
SOUND = ("range", "roundrobin", "failover", "optimal-sticky", "optimal-cooperative")


def machine_of(name: str) -> type[GroupMachine]:
    found = load_all()[name]
    claims = tuple(c for c in found.claims if c not in ("balanced-optimal", "sticky-minimal", "rack-local"))

    def make(config):
        made = found.factory()
        made.configure(config)
        return made

    return machine_for(make, claims, found.protocol)


@pytest.mark.parametrize("name", SOUND)
def test_sound_rules_pass(name: str) -> None:
    run_state_machine_as_test(machine_of(name), settings=SETTINGS)


@pytest.mark.parametrize(
    "name", ["loses-last", "omits-idle", "deals-to-all", "favours-first-listed", "remembers"]
)
def test_faulty_rules_are_caught(name: str) -> None:
    control = next(c for c in controls_of(CLIENT) if c.name == name)
    validity = {found.kind.id for found in validity_claims(CLIENT)}
    claims = () if control.breaks in validity else (control.breaks,)
    with pytest.raises(AssertionError, match=f"{control.breaks}|the books expect"):
        run_state_machine_as_test(machine_for(control.new, claims, control.protocol), settings=SEARCH)


def test_handing_over_at_once_is_caught() -> None:
    control = next(c for c in controls_of(CLIENT) if c.name == "hands-over-at-once")
    machine = machine_for(control.new, ("cooperative",), RebalanceProtocol.COOPERATIVE)
    with pytest.raises(AssertionError, match="cooperative"):
        run_state_machine_as_test(machine, settings=SEARCH)

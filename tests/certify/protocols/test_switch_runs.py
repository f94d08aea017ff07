"""Scenario 66: every switch is found at its bound by what it is to be found by, and nothing with all off."""

import pytest

from kassay.certify.protocols.switch_runs import hunt, names_of
from kassay.certify.protocols.switches import SWITCHES
from kassay.model.protocols.values.releases import RELEASES
from kassay.model.verdict import Verdict

HEAVY = {"sticky_no_generation", "label_agen", "pend_reassign_loses_epoch", "pending_blocks_forever"}
SLOWER = {
    "static_downgrade_never_rebalances",
    "recompute_on_new_target",
    "no_abort_on_rejoin",
    "no_lost_on_reset",
    "dup_claim_unchecked",
    "naive_validation",
}


def marked(names):
    found = []
    for name in names:
        marks = [pytest.mark.exhaustive] if name in HEAVY else [pytest.mark.slow] if name in SLOWER else []
        found.append(pytest.param(name, marks=marks))
    return found


@pytest.mark.parametrize("name", marked(SWITCHES))
def test_scenario_66_each_switch_is_found(name):
    found = hunt(name)
    assert found.caught, f"{name} showed {found.sightings} in {found.states} states"
    assert all(seen.length > 0 for seen in found.shown)


@pytest.mark.parametrize("name", marked(SWITCHES))
def test_scenario_66_all_off_is_clean_at_the_same_bound(name):
    found = hunt(name, on=False)
    assert found.result.exploration.limit is None
    assert not found.sightings
    assert found.result.verdict is Verdict.HOLDS


@pytest.mark.parametrize("name", marked(name for name, switch in SWITCHES.items() if switch.along))
def test_scenario_66_what_goes_along_does_not_show_it(name):
    alone = hunt(name, on=False, along=True)
    assert alone.result.exploration.limit is None
    assert not alone.shown


def test_an_older_release_has_the_switches_whose_bounds_it_knows():
    older = set(names_of(None, "2024-10"))
    models = {SWITCHES[name].model for name in older}
    assert models == {"classic", "kip848"}
    assert not older & RELEASES["2024-10"]
    assert "subscriptions_pooled" in older
    assert "resolution_bumps_nothing" not in older, "no regular expressions there"
    assert set(names_of(None)) == set(SWITCHES)

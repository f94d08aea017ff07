"""Scenario 66: every switch is found at its bound, and nothing is with all of them off."""

import pytest

from kassay.certify.switches import SWITCHES, hunt
from kassay.model.errors import InputError
from kassay.model.explore import Verdict

HEAVY = {"sticky_no_generation", "label_agen", "pend_reassign_loses_epoch", "pending_blocks_forever"}
SLOWER = {
    "recompute_on_new_target",
    "no_abort_on_rejoin",
    "no_lost_on_reset",
    "dup_claim_unchecked",
    "naive_validation",
}


def _marked(names):
    found = []
    for name in sorted(names):
        marks = [pytest.mark.exhaustive] if name in HEAVY else [pytest.mark.slow] if name in SLOWER else []
        found.append(pytest.param(name, marks=marks))
    return found


@pytest.mark.parametrize("name", _marked(SWITCHES))
def test_scenario_66_each_switch_is_found(name):
    found = hunt(name)
    assert found.caught, f"{name} went unnoticed in {found.states} states"
    assert found.length is not None
    assert found.length > 0


@pytest.mark.parametrize("name", _marked(SWITCHES))
def test_scenario_66_all_off_is_clean_at_the_same_bound(name):
    found = hunt(name, on=False)
    assert found.result.exploration.limit is None
    assert not found.caught, found.found
    assert found.result.verdict is Verdict.HOLDS


def test_an_unknown_switch_is_one_line():
    with pytest.raises(InputError, match="unknown switch 'zk_typo'"):
        hunt("zk_typo")

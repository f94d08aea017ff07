"""The switches as data: each breaks a rule of one model, and is refused of another."""

import pytest

from kassay.engines.protocols.switches import DEAD_END, EXTRA, LIVELOCK, SWITCHES, check_switches
from kassay.model.errors import InputError
from kassay.properties.protocols.registry import load_invariants


@pytest.mark.parametrize("switch", SWITCHES.values(), ids=lambda switch: switch.name)
def test_a_switch_is_to_be_found_by_what_there_is(switch):
    assert switch.shows
    assert set(switch.shows) <= {DEAD_END, LIVELOCK, *load_invariants()}
    assert set(switch.along) <= {*SWITCHES, *EXTRA}
    check_switches(switch.model, frozenset({switch.name, *switch.along}))


def test_an_unknown_switch_is_one_line():
    with pytest.raises(InputError, match="unknown switch 'zk_typo'"):
        check_switches("zookeeper", frozenset({"zk_typo"}))


def test_a_switch_of_another_model_is_refused_and_migration_speaks_both_protocols():
    with pytest.raises(InputError, match="no_withhold breaks a rule of classic, not of kip848"):
        check_switches("kip848", frozenset({"no_withhold"}))
    check_switches("migration", frozenset({"no_withhold", "strict_epoch0"}))

"""Releases as sets of older rules: each rule once, in words, and only where a switch asks for it."""

import pytest

from kassay.engines.protocols.switches import check_switches
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator.step import SWITCHES
from kassay.model.protocols.values.releases import NEWEST, OLD_RULES, RELEASES, require_released


def test_the_newest_release_has_no_older_rule_and_the_oldest_has_all():
    assert RELEASES[NEWEST] == frozenset()
    assert RELEASES["2024-10"] == {rule.switch for rule in OLD_RULES}
    assert len({rule.switch for rule in OLD_RULES}) == len(OLD_RULES)


def test_the_rules_stand_in_the_order_of_the_table():
    assert list(OLD_RULES) == sorted(OLD_RULES, key=lambda rule: (rule.item, rule.switch))


@pytest.mark.parametrize("rule", OLD_RULES, ids=lambda rule: rule.switch)
def test_a_rule_is_one_of_the_coordinator_and_told_in_two_sentences(rule):
    assert rule.switch in SWITCHES
    assert rule.was.endswith(".")
    assert rule.now.endswith(".")
    assert rule.was != rule.now
    check_switches("migration", frozenset({rule.switch}))


@pytest.mark.parametrize("release", ["4.4", "4.4.9", "3.9.2", "0.8"])
def test_a_release_up_to_the_newest_is_known(release):
    require_released(release, "--release")


@pytest.mark.parametrize("release", ["4.5", "4.10.0", "5.0.0"])
def test_a_later_release_is_refused(release):
    with pytest.raises(InputError, match=f"--release: unknown release '{release}'; expected one up to"):
        require_released(release, "--release")

"""Older rules that break a promise of their successors: each is one of the release, and by design there."""

import pytest

from kassay.certify.protocols.explore import explore
from kassay.certify.protocols.older_switches import OLDER
from kassay.model.explore.values import Severity
from kassay.model.protocols.values.releases import OLD_RULES, RELEASES

HIDDEN = {rule.switch: rule.hidden for rule in OLD_RULES}


@pytest.mark.parametrize("switch", OLDER, ids=lambda switch: switch.name)
def test_an_older_rule_is_found_by_what_is_promised_since(switch):
    assert HIDDEN[switch.name] == ""
    assert switch.bound.rules == frozenset()


def test_the_release_that_had_such_a_rule_promises_nothing_against_it():
    emptied = next(switch for switch in OLDER if switch.name == "empty_keeps_target_epoch").bound
    older = explore(
        type(emptied)(emptied.model, members=1, partitions=1, faults=emptied.faults, release="2024-10")
    )
    assert "empty_keeps_target_epoch" in RELEASES["2024-10"]
    seen = {(one.invariant, one.severity) for one in older.exploration.violations}
    assert seen == {("empty-group-at-its-target", Severity.BY_DESIGN)}
    assert older.verdict == "holds"

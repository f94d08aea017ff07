"""A switch is of the model at whose bound it is found.

Older rules that break a promise of their successors: each is one of the release, and by design there.

The switches of Streams groups: each is a rule that client or coordinator has, and most are found at once.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from kassay.engines.protocols import explore as exploring
from kassay.engines.protocols.explore import explore
from kassay.engines.protocols.settings import ExploreSettings
from kassay.engines.protocols.switch import DEAD_END, LIVELOCK, OF_STREAMS, OLDER, UNSEEN, Switch
from kassay.engines.protocols.views import views_of
from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import Severity
from kassay.model.kinds import Verdict
from kassay.model.protocols.clients import streams as client
from kassay.model.protocols.coordinator.streams.requests import STREAMS_SWITCHES
from kassay.model.protocols.values.releases import OLD_RULES, RELEASES
from kassay.properties.protocols.registry import invariants
from tests.explored import settings


def test_a_switch_is_of_the_model_of_its_bound():
    assert Switch("name", "bug", "effect", (DEAD_END,), ExploreSettings("draft")).model == "draft"
    assert DEAD_END != LIVELOCK


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


def test_every_switch_is_one_of_the_clients_or_of_the_coordinators():
    for switch in OF_STREAMS:
        assert switch.name in STREAMS_SWITCHES or f"* {switch.name}:" in (client.__doc__ or "")
    assert len(OF_STREAMS) >= 20


def test_every_rule_of_the_coordinator_is_looked_for_or_it_is_said_why_not():
    shown = {switch.name for switch in OF_STREAMS}
    assert shown.isdisjoint(UNSEEN)
    assert STREAMS_SWITCHES.keys() <= shown | UNSEEN.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", UNSEEN)
@pytest.mark.parametrize(
    "world",
    [{"faults": "leave=1"}, {"faults": "pause=1", "partitions": 1}, {"static": 1, "faults": "leave=1"}],
)
def test_what_is_said_to_be_seen_by_no_walk_is_seen_by_none_of_these(name, world):
    model = exploring.build(settings("streams", **world))
    model = type(model)(replace(model.options, switches=frozenset({name})), model.streams)
    assert walk(model, invariants(views_of(model))).verdict is Verdict.HOLDS

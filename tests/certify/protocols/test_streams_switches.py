"""The switches of Streams groups: each is a rule that client or coordinator has, and most are found at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kassay.certify.protocols import explore as exploring
from kassay.certify.protocols.streams_switches import OF_STREAMS, UNSEEN
from kassay.certify.protocols.views import views_of
from kassay.model.explore.search import explore as walk
from kassay.model.protocols.clients import streams as client
from kassay.model.protocols.coordinator.streams.switches import STREAMS_SWITCHES
from kassay.model.verdict import Verdict
from kassay.properties.protocols.registry import invariants
from tests.explored import settings


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

"""The switches of Streams groups: each is a rule that client or coordinator has, and most are found at once."""

from __future__ import annotations

import pytest

from kassay.certify.protocols import switch_runs
from kassay.certify.protocols.streams_switches import OF_STREAMS
from kassay.model.protocols.clients import streams as client
from kassay.model.protocols.coordinator.streams.switches import STREAMS_SWITCHES

SMALL = [switch for switch in OF_STREAMS if switch.bound.members == 2]


def test_every_switch_is_one_of_the_clients_or_of_the_coordinators():
    for switch in OF_STREAMS:
        assert switch.name in STREAMS_SWITCHES or f"* {switch.name}:" in (client.__doc__ or "")
    assert len(OF_STREAMS) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("switch", SMALL, ids=lambda switch: switch.name)
def test_a_switch_is_found_within_its_bound_and_the_model_is_clean_without_it(switch):
    assert switch_runs.row(switch.name).holds


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [switch.name for switch in OF_STREAMS if switch not in SMALL])
def test_a_switch_that_needs_three_threads_is_found(name):
    assert switch_runs.row(name).holds

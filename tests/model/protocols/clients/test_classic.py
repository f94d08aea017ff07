"""The classic client refuses what is impossible."""

from __future__ import annotations

import pytest

from kassay.model.protocols.clients import classic as client_classic
from kassay.model.protocols.clients import classic_table as cct
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.config import ClientConfig, Process
from tests.model.protocols.coordinator.drive import tps
from tests.model.protocols.shared.refusing import refused

CONFIG = ClientConfig("c1")


@pytest.mark.parametrize("state", [cct.ClassicState.PREPARING, cct.ClassicState.COMPLETING])
def test_the_classic_client_refuses_a_callback_out_of_turn(state):
    refused(
        state,
        cct.ClassicEvent.ADOPT,
        client_classic.callback,
        CONFIG,
        ClassicClient(Process.UP, state, given=(tps(0),)),
    )

"""The client of KIP-848 refuses what is impossible."""

from __future__ import annotations

import pytest

from kassay.model.protocols.clients import consumer as client_consumer
from kassay.model.protocols.clients import consumer_table as cot
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.shared.table import (
    IMPOSSIBLE,
)
from tests.model.protocols.shared.refusing import refused


@pytest.mark.parametrize("state", cot.ConsumerState)
def test_the_consumer_client_refuses_what_is_impossible(state):
    client = ConsumerClient(Process.UP, state)
    steps = {
        cot.ConsumerEvent.POLL_EXPIRED: client_consumer.poll_expired,
        cot.ConsumerEvent.CLOSE: client_consumer.closed,
    }
    for event, step in steps.items():
        if cot.CLIENT[state][event] is IMPOSSIBLE:
            refused(state, event, step, client)
        else:
            assert step(client).state in cot.CLIENT[state][event].targets

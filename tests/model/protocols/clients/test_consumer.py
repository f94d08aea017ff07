"""The client of KIP-848 refuses what is impossible, and ignores what comes once it is out of the group."""

from __future__ import annotations

import pytest

from kassay.model.protocols.clients import consumer as client_consumer
from kassay.model.protocols.clients import consumer_table as cot
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.shared.table import IMPOSSIBLE
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.requests import ConsumerHeartbeatReply
from tests.model.protocols.shared.refusing import refused

ERRORS = [name for name in vars(errors) if name.isupper() and name != "NONE"]
CONFIG = ClientConfig("c1")


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


@pytest.mark.parametrize(
    ("error", "after"),
    [
        (errors.FENCED_MEMBER_EPOCH, cot.ConsumerState.FENCED),
        (errors.UNKNOWN_MEMBER_ID, cot.ConsumerState.FENCED),
        (errors.GROUP_ID_NOT_FOUND, cot.ConsumerState.FATAL),
    ],
)
@pytest.mark.parametrize("state", sorted(client_consumer.MEMBER))
def test_a_member_that_is_fenced_joins_again_and_one_whose_group_is_gone_gives_up(state, error, after):
    client = ConsumerClient(Process.UP, state, "c1", 3)
    assert client_consumer.on_reply(CONFIG, client, ConsumerHeartbeatReply(error)).state is after


@pytest.mark.parametrize("epoch", [0, 3])
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("state", cot.ConsumerState)
def test_no_error_is_lost_on_a_member_or_moves_who_is_none(state, error, epoch):
    """Late ones too: Kafka's `MemberState` lets neither Stale nor Fenced become Fatal."""
    client = ConsumerClient(Process.UP, state, "c1", epoch)
    after = client_consumer.on_reply(CONFIG, client, ConsumerHeartbeatReply(error))
    assert (after != client) is (state in client_consumer.MEMBER)

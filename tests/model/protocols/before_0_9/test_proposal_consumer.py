"""The consumer of the proposal refuses what is impossible."""

from __future__ import annotations

import pytest

from kassay.model.protocols.before_0_9 import proposal_consumer as draft_consumer
from kassay.model.protocols.before_0_9 import proposal_table as dt
from kassay.model.protocols.before_0_9.proposal_state import (
    ProposalConsumer,
)
from kassay.model.protocols.shared.table import (
    IMPOSSIBLE,
)
from tests.model.protocols.shared.refusing import refused

DRAFT_IMPOSSIBLE = [(s, e) for s, rules in dt.CONSUMER.items() for e, r in rules.items() if r is IMPOSSIBLE]


@pytest.mark.parametrize(("state", "event"), DRAFT_IMPOSSIBLE, ids=str)
def test_the_drafts_consumer_refuses_what_is_impossible(state, event):
    refused(state, event, draft_consumer.moved, ProposalConsumer(state), event)

"""The coordinator of the proposal refuses what is impossible."""

from __future__ import annotations

import pytest

from kassay.model.protocols.before_0_9 import proposal_coordinator as draft_coordinator
from kassay.model.protocols.before_0_9 import proposal_table as dt
from kassay.model.protocols.before_0_9.proposal_state import (
    ProposalCoordinator,
    StoredProposal,
)
from kassay.model.protocols.shared.table import (
    IMPOSSIBLE,
)
from tests.model.protocols.shared.refusing import refused


@pytest.mark.parametrize("state", dt.Phase)
def test_the_drafts_coordinator_refuses_what_is_impossible(state):
    coordinator = ProposalCoordinator(state, members=(0, 1), assignment=((0,), (1,)), parked=(0, 1))
    steps = {
        dt.PhaseEvent.ELECTED: lambda: draft_coordinator.elected(coordinator),
        dt.PhaseEvent.LOADED: lambda: draft_coordinator.load(coordinator, StoredProposal(), 2),
        dt.PhaseEvent.JOIN: lambda: draft_coordinator.hear_join(coordinator, 0),
        dt.PhaseEvent.HEARTBEAT: lambda: draft_coordinator.hear_heartbeat(coordinator, 0, 0),
        dt.PhaseEvent.BEHIND: lambda: draft_coordinator.hear_heartbeat(coordinator, 0, 7),
        dt.PhaseEvent.TRIGGER: lambda: draft_coordinator.expire(coordinator, 0),
        dt.PhaseEvent.ALL_JOINED: lambda: draft_coordinator.rebalanced(coordinator, StoredProposal(1)),
        dt.PhaseEvent.LOST: lambda: draft_coordinator.failed(coordinator),
    }
    for event, step in steps.items():
        if dt.COORDINATOR[state][event] is IMPOSSIBLE:
            refused(state, event, step)
        else:
            step()

"""The coordinator of the proposal refuses what is impossible.

A world of the proposal with one consumer replaced is that world in all else.

The proposal's consumer and coordinator move as their tables list, each listed move and no other.
"""

from __future__ import annotations

import pytest

from kassay.model.protocols.before_0_9 import proposal_coordinator as draft_coordinator
from kassay.model.protocols.before_0_9 import proposal_coordinator as dt
from kassay.model.protocols.before_0_9.proposal_coordinator import (
    CONSUMER,
    COORDINATOR,
    ProposalConsumer,
    ProposalCoordinator,
    ProposalState,
    ProposalWorld,
    StoredProposal,
    put,
)
from kassay.model.protocols.faults import NO_FAULTS, Faults
from kassay.model.protocols.table import IMPOSSIBLE, edges
from tests.explored import explore
from tests.model.protocols.refusing import refused


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


CONSUMERS = tuple(ProposalConsumer(generation=n) for n in range(3))
WORLD = ProposalWorld(CONSUMERS, ProposalCoordinator(), StoredProposal(), 2, NO_FAULTS)


def test_only_the_consumer_in_its_place_is_another():
    other = ProposalConsumer(generation=9)
    for c in range(3):
        after = put(WORLD, c, other)
        assert after.consumers[c] is other
        assert put(after, c, CONSUMERS[c]) == WORLD
        assert after._replace(consumers=CONSUMERS) == WORLD


def moves(result, views):
    """The changes of status, (before, after), among the edges of what was walked."""
    graph, seen = result.exploration.graph, set()
    for node in range(graph.expanded):
        for _, target in graph.edges(node):
            pairs = zip(views(graph.states[node]), views(graph.states[target]), strict=True)
            seen |= {(before, after) for before, after in pairs if before is not after}
    return seen


def arrows(table):
    return {(before, after) for before, _, after in edges(table) if before is not after}


def test_scenario_28_the_drafts_consumer_moves_as_listed():
    result = explore("draft", faults=Faults(crash=1, pause=1, failover=1))
    assert moves(result, lambda state: [c.status for c in state.consumers]) == arrows(CONSUMER)
    states = result.exploration.graph.states
    holders = {c.status for state in states for c in state.consumers if c.owned}
    assert holders == {ProposalState.PART, ProposalState.REDISCOVER}, "Rediscover consumes, Stopped does not"


def test_scenario_29_the_drafts_coordinator_moves_as_listed():
    result = explore("draft", faults=Faults(crash=1, failover=2, partitions=1))
    assert moves(result, lambda state: [state.coordinator.status]) == arrows(COORDINATOR)

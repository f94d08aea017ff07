"""The proposal's consumer and coordinator move as their tables list, each listed move and no other."""

from __future__ import annotations

from kassay.model.protocols.before_0_9.proposal_table import (
    CONSUMER,
    COORDINATOR,
    ProposalState,
)
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.shared.table import edges
from tests.explored import explore


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

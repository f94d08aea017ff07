"""The proposal of 2014: it moves as its tables list, and a failure in each phase costs what was expected."""

from __future__ import annotations

import pytest

from kassay.model.protocols.before_0_9.proposal_table import (
    CONSUMER,
    COORDINATOR,
    Phase,
    ProposalState,
)
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.shared.table import edges
from tests.explored import build, explore
from tests.model.protocols.world.script import play, settle, sizes, started


def draft_run(*faults):
    model = build("draft", faults=Faults(**dict.fromkeys(faults, 1)))
    return model, started(model, 2)


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


def test_scenario_29_the_drafts_coordinator_is_not_ready_at_once():
    model, state = draft_run("failover")
    state = play(model, state, "coordinator fails", "coordinator elected")
    assert state.coordinator.status is Phase.CATCH_UP
    state = play(model, state, "c1 notices", "c1 ConsumerMetadata")
    told = [(action.reply, after) for action, after in model.steps(state) if action.actor == "c1"]
    assert [reply for reply, _ in told] == ["CoordinatorStartupNotComplete"]
    assert told[0][1] == state, "nothing else comes of it"


def test_scenario_30_too_late_at_the_new_coordinator_costs_a_round():
    model, state = draft_run("failover", "pause")
    before = state.coordinator.generation
    state = play(model, state, "c2 pause", "coordinator fails", "coordinator elected", "coordinator loads")
    state = play(model, state, "coordinator session of c2 expires")
    assert state.coordinator.members == (0,)
    state = settle(model, state, without=("resume",))
    assert (state.coordinator.generation, state.coordinator.members) == (before + 1, (0,))
    state = settle(model, play(model, state, "c2 resume"))
    assert (state.coordinator.generation, state.coordinator.members) == (before + 2, (0, 1))
    assert model.converged(state)


DRAFT_PHASES = {
    31: ("coordinator notices",),
    32: ("coordinator notices", "c1 heartbeat"),
    33: ("coordinator notices", "c1 heartbeat", "c1 JoinGroup"),
    34: (
        "coordinator notices",
        "c1 heartbeat",
        "c2 heartbeat",
        "c1 JoinGroup",
        "c2 JoinGroup",
        "coordinator all joined",
    ),
    35: (
        "coordinator notices",
        "c1 heartbeat",
        "c2 heartbeat",
        "c1 JoinGroup",
        "c2 JoinGroup",
        "coordinator all joined",
        "coordinator JoinGroup response",
    ),
}


@pytest.mark.parametrize("number", sorted(DRAFT_PHASES))
def test_scenario_31_to_35_the_draft_survives_a_failure_in_each_phase(number):
    model = build("draft", partitions=2, faults=Faults(failover=1, partitions=1))
    state = play(model, started(model, 2), "zookeeper a partition", *DRAFT_PHASES[number])
    stored = state.stored.generation
    state = settle(model, play(model, state, "coordinator fails"))
    assert model.converged(state)
    # The round that a failure interrupted is held again, under a new number.
    assert state.coordinator.generation == stored + 1
    assert sizes(model, state) == [2, 1]


def test_scenario_41_back_in_time_no_rebalance():
    model, state = draft_run("failover", "pause")
    before = state.coordinator.generation
    state = play(model, state, "c2 pause", "coordinator fails", "coordinator elected", "coordinator loads")
    state = settle(model, play(model, state, "c2 resume"))
    assert state.coordinator.generation == before

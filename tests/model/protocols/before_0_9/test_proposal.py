"""The proposal of 2014: it moves as its tables list, and a failure in each phase costs what was expected.

The consumer of the proposal refuses what is impossible.
"""

from __future__ import annotations

import pytest

from kassay.model.protocols.before_0_9 import proposal as draft_consumer
from kassay.model.protocols.before_0_9 import proposal_coordinator as dt
from kassay.model.protocols.before_0_9.proposal_coordinator import Phase, ProposalConsumer
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.table import IMPOSSIBLE
from tests.explored import build
from tests.model.protocols.refusing import refused
from tests.model.protocols.world.script import play, settle, sizes, started


def draft_run(*faults):
    model = build("draft", faults=Faults(**dict.fromkeys(faults, 1)))
    return model, started(model, 2)


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


DRAFT_IMPOSSIBLE = [(s, e) for s, rules in dt.CONSUMER.items() for e, r in rules.items() if r is IMPOSSIBLE]


@pytest.mark.parametrize(("state", "event"), DRAFT_IMPOSSIBLE, ids=str)
def test_the_drafts_consumer_refuses_what_is_impossible(state, event):
    refused(state, event, draft_consumer.moved, ProposalConsumer(state), event)

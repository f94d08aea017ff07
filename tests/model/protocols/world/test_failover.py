"""Scenarios 32 to 41: a coordinator fails in each phase of a rebalance, and what each phase costs.

Rounds are counted from what the failed coordinator had stored. Classic clients speak subscription
version 1 where a follower is to be recognised as unchanged: from version 2 on its generation differs.
"""

from kassay.engines.protocols.views import beliefs
from kassay.model.protocols.before_0_9.zookeeper import SHARES
from kassay.model.protocols.faults import Faults
from tests.explored import build
from tests.model.protocols.world.script import first, play, settle

# The proposal.

TOLD = ("coordinator notices", "c1 heartbeat")
BOTH_JOINED = (*TOLD, "c2 heartbeat", "c1 JoinGroup", "c2 JoinGroup")
PERSISTED = (*BOTH_JOINED, "coordinator all joined")


def proposal_fails_after(*steps):
    """The proposal with a third partition on its way, and its coordinator gone after these steps."""
    model = build("draft", faults=Faults(failover=1, partitions=1))
    state = first(model)
    for number in (1, 2):
        state = settle(model, play(model, state, f"c{number} start"))
    before = state.coordinator.generation
    state = play(model, state, "zookeeper a partition", *steps, "coordinator fails")
    return model, state, before


def proposal_rests(model, state):
    state = settle(model, state)
    assert model.converged(state)
    owned = [belief.owned for belief in beliefs(model, state).beliefs]
    assert owned == [SHARES["ceil-range"](3, 2, index) for index in (0, 1)]
    return state


def test_scenario_31_proposal_trigger_seen_nothing_sent():
    model, state, before = proposal_fails_after("coordinator notices")
    assert state.stored.generation == before
    state = play(model, state, "coordinator elected", "coordinator loads")
    assert state.coordinator.status == "Prepare for rebalance", "the partitions differ from what is stored"
    assert proposal_rests(model, state).coordinator.generation == before + 1


def test_scenario_32_proposal_some_were_told():
    model, state, before = proposal_fails_after(*TOLD)
    assert [c.status for c in state.consumers] == ["Stopped consumption", "Part of a group"]
    assert state.consumers[1].owned, "who was not told goes on consuming"
    assert proposal_rests(model, state).coordinator.generation == before + 1


def test_scenario_33_proposal_some_joins_arrived():
    model, state, before = proposal_fails_after(*TOLD, "c1 JoinGroup")
    assert not state.consumers[0].waits, "the parked join went with its coordinator"
    assert proposal_rests(model, state).coordinator.generation == before + 1


def test_scenario_34_proposal_stored_and_nothing_sent():
    model, state, before = proposal_fails_after(*PERSISTED)
    assert state.stored.generation == before + 1
    assert [c.generation for c in state.consumers] == [-1, -1], "nobody knows of it"
    assert proposal_rests(model, state).coordinator.generation == before + 2


def test_scenario_35_proposal_some_replies_were_sent():
    model, state, before = proposal_fails_after(*PERSISTED, "coordinator JoinGroup response")
    assert sorted(c.generation for c in state.consumers) == [-1, before + 1]
    assert proposal_rests(model, state).coordinator.generation == before + 2


# Classic.


def classic(*, version=1, **faults):
    """Two members at rest, c1 leading."""
    model = build("classic", faults=Faults(failover=1, **faults), version=version)
    state = first(model)
    for number in (1, 2):
        state = settle(model, play(model, state, f"c{number} start"))
    assert group(state).leader == "c1-1"
    return model, state, group(state).generation


def group(state):
    return state.broker.value.state.group


def owned(model, state):
    return {b.client: len(b.owned) for b in beliefs(model, state).beliefs if b.live}


def rests(model, state):
    state = settle(model, state)
    assert model.converged(state)
    assert sum(owned(model, state).values()) == sum(topic.partitions for topic in state.image.value)
    return state


GROWN = ("metadata t grows", "c1 notices", "c1 JoinGroup")
ALL_JOINED = (*GROWN, "c2 Heartbeat", "c2 JoinGroup")


def test_scenario_36_classic_trigger_seen_nothing_sent():
    model, state, before = classic(crash=1)
    state = play(model, state, "c2 crashes", "coordinator session of c2-1 expires")
    assert group(state).state == "PreparingRebalance"
    state = play(model, state, "coordinator moves")
    assert (group(state).state, group(state).generation) == ("Stable", before)
    assert {m.member_id for m in group(state).members} == {"c1-1", "c2-1"}, "the removal is forgotten"
    state = rests(model, play(model, state, "coordinator session of c2-1 expires"))
    assert group(state).generation == before + 1
    assert owned(model, state) == {"c1": 2}


def test_scenario_37_classic_some_were_told():
    model, state, before = classic(partitions=1)
    state = play(model, state, *GROWN, "c2 Heartbeat", "coordinator moves")
    assert (group(state).state, group(state).generation) == ("Stable", before)
    # The follower that was told first comes back to what it had, the leader then calls for a round.
    state = play(model, state, "c2 JoinGroup", "c2 SyncGroup")
    assert (group(state).state, group(state).generation) == ("Stable", before)
    assert len(state.clients[1].value.owned) == 1
    assert group(rests(model, state)).generation == before + 1


def test_scenario_38_classic_some_joins_arrived():
    model, state, before = classic(version=3, partitions=1)
    state = play(model, state, *GROWN)
    assert [m.member_id for m in group(state).members if m.awaiting_join >= 0] == ["c1-1"]
    state = play(model, state, "coordinator moves")
    assert [m.member_id for m in group(state).members if m.awaiting_join >= 0] == [], "parked joins are lost"
    state = rests(model, state)
    assert group(state).generation == before + 1
    assert {m.member_id for m in group(state).members} == {"c1-1", "c2-1"}, "with the ids they had"


def test_scenario_39_classic_stored_and_nothing_sent():
    model, state, before = classic(partitions=1)
    state = play(model, state, *ALL_JOINED, "c1 SyncGroup", "coordinator moves")
    assert (group(state).state, group(state).generation) == ("Stable", before + 1)
    state = play(model, state, "c2 SyncGroup")
    assert len(state.clients[1].value.owned) > 0, "the follower gets what is stored, without a round"
    assert group(state).generation == before + 1
    assert group(rests(model, state)).generation == before + 2, "the leader heard nothing and forces one"


def test_scenario_40_classic_some_replies_were_sent():
    model, state, before = classic(partitions=1)
    state = play(
        model, state, *ALL_JOINED, "c1 SyncGroup", "coordinator the assignment", "c1 takes SyncGroup"
    )
    state = play(model, state, "coordinator moves")
    assert (group(state).state, group(state).generation) == ("Stable", before + 1)
    state = rests(model, state)
    assert group(state).generation == before + 1, "the leader has its reply, the follower syncs again"


def phase_2(version, *told):
    """A third member calls for a round, some are told, coordinator and third member go."""
    model = build("classic", members=3, faults=Faults(failover=1, crash=1), version=version)
    state = first(model)
    for number in (1, 2):
        state = settle(model, play(model, state, f"c{number} start"))
    before = group(state).generation
    state = play(model, state, "c3 start", "c3 JoinGroup", "c3 JoinGroup", *told)
    return model, play(model, state, "coordinator moves", "c3 crashes"), before


def test_scenario_41_classic_followers_back_in_time_cost_nothing_up_to_version_1():
    model, state, before = phase_2(1, "c2 Heartbeat")
    assert group(rests(model, state)).generation == before


def test_scenario_41_classic_a_leader_that_was_told_costs_a_round():
    model, state, before = phase_2(1, "c1 Heartbeat")
    assert group(rests(model, state)).generation == before + 1


def test_scenario_41_classic_the_generation_label_of_version_2_costs_a_round():
    model, state, before = phase_2(2, "c2 Heartbeat")
    assert group(rests(model, state)).generation == before + 1


def test_scenario_41_proposal_the_failed_consumer_is_back_in_time():
    model = build("draft", faults=Faults(failover=1, pause=1))
    state = first(model)
    for number in (1, 2):
        state = settle(model, play(model, state, f"c{number} start"))
    before = state.coordinator.generation
    state = play(model, state, "c2 pause", "coordinator session of c2 expires")
    assert state.coordinator.status == "Prepare for rebalance"
    state = settle(model, play(model, state, "coordinator fails", "c2 resume"))
    assert model.converged(state)
    assert state.coordinator.generation == before

"""The classic protocol with its clients, scenario by scenario: the flow, failures in each phase, rollouts, cooperative rounds.

The world of KIP-848: what its coordinator knows at first, and that both protocols find their way in.
"""

from __future__ import annotations

import pytest

from kassay.engines.protocols.views import beliefs
from kassay.model.explore.search import explore
from kassay.model.explore.values import Severity, WalkLimits
from kassay.model.protocols.clients.classic_state import ClassicState as ClientState
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values.groups import ClassicGroup, ConsumerGroup
from kassay.model.protocols.world.context import options
from kassay.model.protocols.world.faults import CLASSIC, CONSUMER
from kassay.model.protocols.world.groups import ConsumerModel, only_consumers
from tests.explored import build
from tests.model.protocols.world.script import client, first, group, play, settle, sizes, started


def test_scenario_03_the_priority_rule_takes_all_and_hands_on():
    model = build("classic", members=2, partitions=2, assignor="failover", faults=Faults(leave=1))
    state = started(model, 2)
    assert sizes(model, state) == [2, 0]
    leader = next(b.client for b in beliefs(model, state).beliefs if b.owned)
    state = settle(model, play(model, state, f"{leader} closes"))
    assert sizes(model, state) == [2]


def test_scenario_13_a_member_that_processes_for_too_long_leaves_and_may_not_commit():
    model = build("classic", faults=Faults(slow=1))
    state = play(model, started(model, 2), "c2 polls too late, LeaveGroup")
    assert [m.member_id for m in group(state).members] == ["c1-1"]
    late = client(state, 2)
    assert (late.member_id, late.generation) == ("", -1)
    assert late.owned, "it believes in what it had until its next poll"
    assert not beliefs(model, state).beliefs[1].commits, "a commit fails locally, without a generation"
    state = play(model, state, "c2 JoinGroup")
    assert client(state, 2).owned == ()
    assert sizes(model, settle(model, state)) == [1, 1]


def test_scenario_23_the_callbacks_come_before_the_join():
    model = build("classic")
    state = play(model, started(model, 1), "c2 start", "c2 JoinGroup", "c2 JoinGroup")
    state = play(model, state, "c1 Heartbeat")
    assert len(client(state, 1).owned) == 2, "told, and consuming until its next poll"
    state = play(model, state, "c1 JoinGroup")
    assert client(state, 1).owned == ()


def test_scenario_24_the_first_joiner_leads_and_sees_all_subscriptions():
    model = build("classic")
    state = play(
        model, first(model), *(f"c{n} {step}" for n in (1, 2) for step in ("start", "JoinGroup", "JoinGroup"))
    )
    # The first expiry finds a newcomer and waits on, the second ends the initial delay.
    state = play(model, state, "coordinator join timer", "coordinator join timer")
    told = {n: client(state, n).inbox[0] for n in (1, 2)}
    assert told[1].leader == told[2].leader == "c1-1"
    assert (len(told[1].members), len(told[2].members)) == (2, 0)
    sent = [
        action.detail
        for action, _ in model.steps(state)
        if (action.actor, action.name) == ("c2", "SyncGroup")
    ]
    assert sent == ["generation 1"], "a follower sends no assignments"
    state = play(model, state, "c2 SyncGroup")
    assert client(state, 2).waits == "sync"
    assert client(settle(model, state), 2).state is ClientState.STABLE


CLASSIC_PHASES = {
    36: ("c2 start",),
    37: ("c2 start", "c2 JoinGroup", "c2 JoinGroup", "c1 Heartbeat"),
    38: ("c2 start", "c2 JoinGroup", "c2 JoinGroup", "c1 Heartbeat", "c1 JoinGroup"),
    39: (
        "c2 start",
        "c2 JoinGroup",
        "c2 JoinGroup",
        "c1 Heartbeat",
        "c1 JoinGroup",
        "c2 SyncGroup",
        "c1 SyncGroup",
    ),
    40: (
        "c2 start",
        "c2 JoinGroup",
        "c2 JoinGroup",
        "c1 Heartbeat",
        "c1 JoinGroup",
        "c2 SyncGroup",
        "c1 SyncGroup",
        "coordinator the assignment",
        "c1 takes SyncGroup",
    ),
}


@pytest.mark.parametrize("mode", ["eager", "cooperative"])
@pytest.mark.parametrize("number", sorted(CLASSIC_PHASES))
def test_scenario_36_to_40_the_classic_coordinator_moves_in_each_phase(number, mode):
    model = build("classic", mode=mode, faults=Faults(failover=1))
    state = play(model, started(model, 1), *CLASSIC_PHASES[number])
    logged = state.broker.value.log[0].value.generation
    assert logged == (2 if number >= 39 else 1)
    state = play(model, state, "coordinator moves")
    assert group(state).state == "Stable"
    assert group(state).generation == logged, "an unfinished rebalance is forgotten"
    state = settle(model, state)
    assert model.converged(state)
    assert sizes(model, state) == [1, 1]


def test_scenario_41_back_in_time_no_rebalance():
    model = build("classic", faults=Faults(failover=1, pause=1), version=1)
    state = started(model, 2)
    before = group(state).generation
    state = settle(model, play(model, state, "c2 pauses", "coordinator moves", "c2 resumes"))
    assert group(state).generation == before


BOTH = (("range", ("eager",)), ("cooperative-sticky", ("eager", "cooperative")))


ROLLOUT = (("range",), ("range", "cooperative-sticky"), ("cooperative-sticky",))


def named(ask):
    """Range or a cooperative rule, as the group has selected."""
    from kassay.model.protocols.clients.any_balanced import AnyBalanced

    return AnyBalanced("cooperative" if ask.assignor == "cooperative-sticky" else "eager")(ask)[:1]


@pytest.mark.slow
def test_scenario_50_a_rollout_by_client_is_never_inconsistent():
    from kassay.engines.protocols.views import views_of
    from kassay.model.explore.search import explore as walk
    from kassay.model.explore.values import WalkLimits
    from kassay.model.protocols.world.context import ModelOptions
    from kassay.model.protocols.world.groups import ClassicModel
    from kassay.properties.protocols.registry import invariants

    model = ClassicModel(ModelOptions(assignors=ROLLOUT[:2], modes=BOTH, faults=Faults(rollout=2)), named)
    done = walk(model, invariants(views_of(model)), budget=WalkLimits(100_000))
    assert [v.invariant for v in done.violations if v.severity is Severity.REAL] == []
    assert all(cell.value.run is not Process.FATAL for state in done.graph.states for cell in state.clients)
    assert done.liveness is not None
    assert done.limit is None


def test_scenario_50_skipping_the_middle_fails():
    from kassay.model.protocols.world.context import ModelOptions
    from kassay.model.protocols.world.groups import ClassicModel

    model = ClassicModel(
        ModelOptions(assignment_strategies=((("range",),), (("cooperative-sticky",),)), modes=BOTH), named
    )
    state = play(model, settle(model, play(model, first(model), "c1 start")), "c2 start")
    before = group(state)
    state = play(model, state, "c2 JoinGroup")
    assert client(state, 2).run is Process.FATAL
    assert group(state) == before, "the group is untouched"


def test_scenario_51_what_stays_is_never_given_up():
    model = build("classic", mode="cooperative")
    state = play(
        model, started(model, 1), "c2 start", "c2 JoinGroup", "c2 JoinGroup", "c1 Heartbeat", "c1 JoinGroup"
    )
    assert len(client(state, 1).owned) == 2, "kept through the join"
    state = play(model, state, "c2 SyncGroup", "c1 SyncGroup", "coordinator the assignment")
    state = play(model, state, "c1 takes SyncGroup", "c2 takes SyncGroup")
    assert sizes(model, state) == [1, 0], "the moved partition is unowned in round 1"
    assert sizes(model, settle(model, state)) == [1, 1]


def test_scenario_52_who_loses_its_id_loses_what_it_owned():
    model = build("classic", mode="cooperative", faults=Faults(pause=1))
    state = play(model, started(model, 2), "c1 pauses", "coordinator session of c1-1 expires", "c1 resumes")
    state = play(model, state, "c1 Heartbeat")
    assert client(state, 1).member_id == ""
    assert client(state, 1).owned, "it learns of it at its next poll"
    (joins,) = [a for a, _ in model.steps(state) if (a.actor, a.name) == ("c1", "JoinGroup")]
    assert "lost t-" in joins.detail
    assert "owned" not in joins.detail, "what was lost is not reported"
    assert client(play(model, state, "c1 JoinGroup"), 1).owned == ()


def test_scenario_53_claims_survive_an_interrupted_sync():
    model = build("classic", mode="cooperative", members=3, partitions=3, faults=Faults(leave=1))
    state = play(
        model, started(model, 2), "c3 start", "c3 JoinGroup", "c3 JoinGroup", "c1 Heartbeat", "c2 Heartbeat"
    )
    state = play(
        model, state, "c1 JoinGroup", "c2 JoinGroup", "c2 SyncGroup", "c3 closes", "c2 takes SyncGroup"
    )
    before = client(state, 2)
    assert before.rejoin
    assert (before.member_id, before.generation > 0, bool(before.owned)) == ("c2-1", True, True)
    state = play(model, state, "c2 JoinGroup")
    claim = next(m for m in group(state).members if m.member_id == "c2-1").protocols[0][1]
    assert (claim.owned, claim.generation) == (before.owned, before.generation)
    assert model.converged(settle(model, state))


def test_the_coordinator_knows_the_topics_before_anybody_comes():
    model = ConsumerModel(options(partitions=3))
    (state,) = model.initial()
    assert state.broker.value.state.image == state.image.value
    assert group(state) is None
    assert model.kinds == only_consumers(model.options) == ((CONSUMER,), (CONSUMER,))


@pytest.mark.parametrize("members", [1, 2, 3])
def test_all_that_start_share_the_partitions_evenly(members):
    model = ConsumerModel(options(members=members, partitions=3))
    state = started(model, members)
    shares = sizes(model, state)
    assert (sum(shares), len(shares)) == (3, members)
    assert max(shares) - min(shares) <= 1
    assert beliefs(model, state).resting


@pytest.mark.parametrize(("policy", "converts"), [("bidirectional", True), ("disabled", False)])
def test_a_consumer_converts_a_classic_group_with_members_only_if_the_policy_lets_it(policy, converts):
    model = ConsumerModel(options(partitions=2), kinds=((CLASSIC,), (CONSUMER,)), policy=policy)
    conversions = 0
    for state in explore(model, budget=WalkLimits(1200), check_liveness=False).graph.states:
        before = group(state)
        if isinstance(before, ClassicGroup) and before.members:
            conversions += sum(isinstance(group(after), ConsumerGroup) for _, after in model.steps(state))
    assert bool(conversions) == converts

"""The acceptance scenarios that need clients: section F by number, played or explored on the models."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.certify.protocols.views import beliefs
from kassay.model.explore import Severity
from kassay.model.protocols.before_0_9.proposal_table import (
    CONSUMER,
    COORDINATOR,
    Phase,
    ProposalState,
)
from kassay.model.protocols.before_0_9.shares import ceil_range, fair_range
from kassay.model.protocols.before_0_9.zookeeper_table import ZooKeeperStatus
from kassay.model.protocols.clients.classic_table import ClassicState as ClientState
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.shared.table import edges
from kassay.model.protocols.values.metadata import create_partitions
from kassay.model.protocols.values.requests import image_of
from kassay.model.verdict import Verdict
from tests.explored import build, explore
from tests.model.protocols.world.script import first, play, settle

PROTOCOLS = ("zookeeper", "draft", "classic", "kip848")


def owned(model, state):
    return [belief.owned for belief in beliefs(model, state).beliefs if belief.live]


def sizes(model, state):
    return sorted((len(tps) for tps in owned(model, state)), reverse=True)


def started(model, count):
    state = first(model)
    for number in range(1, count + 1):
        state = settle(model, play(model, state, f"c{number} start"))
    return state


def group(state):
    return state.broker.value.state.group


def client(state, number):
    return state.clients[number - 1].value


def real(result):
    return [found.invariant for found in result.exploration.violations if found.severity is Severity.REAL]


# Shares.


@pytest.mark.parametrize("name", PROTOCOLS)
def test_scenario_01_one_to_four_and_back(name):
    model = build(name, members=4, partitions=3, faults=Faults(leave=3))
    state, seen = first(model), []
    for number in (1, 2, 3, 4):
        state = settle(model, play(model, state, f"c{number} start"))
        seen.append(sizes(model, state))
    for number in (1, 2, 3):
        leaving = "leave" if name == "draft" else "close"
        state = settle(model, play(model, state, f"c{number} {leaving}"))
        seen.append(sizes(model, state))
    assert seen == [[3], [2, 1], [1, 1, 1], [1, 1, 1, 0], [1, 1, 1], [2, 1], [3]]


@pytest.mark.parametrize(
    ("rule", "share", "expected"),
    [("ceil-range", ceil_range, [2, 2, 1, 0]), ("range", fair_range, [2, 1, 1, 1])],
)
def test_scenario_02_five_partitions_for_four(rule, share, expected):
    assert [len(share(5, 4, index)) for index in range(4)] == expected
    model = build("zookeeper", members=4, partitions=5, assignor=rule)
    assert [len(tps) for tps in owned(model, started(model, 4))] == expected


def test_scenario_03_the_priority_rule_takes_all_and_hands_on():
    model = build("classic", members=2, partitions=2, assignor="failover", faults=Faults(leave=1))
    state = started(model, 2)
    assert sizes(model, state) == [2, 0]
    leader = next(b.client for b in beliefs(model, state).beliefs if b.owned)
    state = settle(model, play(model, state, f"{leader} closes"))
    assert sizes(model, state) == [2]


# ZooKeeper.


@pytest.mark.parametrize("running", [1, 2, 3])
def test_scenario_04_one_start_costs_everybody_a_rebalance(running):
    model = build("zookeeper", members=running + 1, partitions=3)
    state = play(model, started(model, running), f"c{running + 1} start")
    rebalances = 0
    while True:
        step = next(((a, s) for a, s in model.steps(state) if not a.fault and s != state), None)
        if step is None:
            break
        rebalances += step[0].name == "rebalance"
        state = step[1]
    assert rebalances == running + 1


def rests_incomplete(model, state):
    """Nobody owns some partition, and nothing is left that would tell anybody."""
    assert None in state.owner
    assert [str(action) for action, after in model.steps(state) if not action.fault and after != state] == []
    assert not any(consumer.pending for consumer in state.consumers)


def test_scenario_05_finite_retries_rest_incomplete():
    result = explore("zookeeper", switches=frozenset({"zk_finite_retries"}))
    found = {v.invariant: v for v in result.exploration.violations}
    assert found["complete-at-rest"].severity is Severity.BY_DESIGN
    last = found["complete-at-rest"].trace[-1].state
    assert any(c.status is ZooKeeperStatus.GAVE_UP for c in last.consumers)
    rests_incomplete(result.built, last)


def test_scenario_06_only_the_guard_keeps_owners_apart():
    assert "single-current-owner" in real(explore("zookeeper", switches=frozenset({"zk_no_owner_guard"})))
    guarded = explore("zookeeper", faults=Faults(crash=1, pause=1))
    assert real(guarded) == []
    assert guarded.verdict is Verdict.HOLDS


def test_scenario_07_a_paused_owner_is_a_zombie():
    found = {v.invariant: v for v in explore("zookeeper", faults=Faults(pause=1)).exploration.violations}
    assert found["single-live-owner"].severity is Severity.BY_DESIGN
    last = found["single-live-owner"].trace[-1].state
    (zombie,) = [number for number, c in enumerate(last.consumers) if c.expired and c.owned]
    shared = [tp for c in last.consumers if not c.expired for tp in c.owned]
    assert set(shared) & set(last.consumers[zombie].owned)
    assert all(last.owner[tp] not in (None, zombie) for tp in shared), "one znode owner: the other one"


def test_scenario_08_a_stale_view_leaves_partitions_alone():
    result = explore("zookeeper", switches=frozenset({"zk_stale_view"}))
    found = {v.invariant: v for v in result.exploration.violations}
    assert "nobody owns" in found["complete-at-rest"].message
    assert "stale view" in found["complete-at-rest"].trace[-2].action.detail, "the last read is the stale one"
    rests_incomplete(result.built, found["complete-at-rest"].trace[-1].state)


# Triggers, classic (eager and cooperative) and KIP-848.

EVERY = [("classic", "eager"), ("classic", "cooperative"), ("kip848", None)]


@pytest.mark.parametrize(("name", "mode"), EVERY)
@pytest.mark.parametrize(
    "faults",
    [
        pytest.param(Faults(), id="15-join"),
        pytest.param(Faults(leave=1), id="16-leave"),
        pytest.param(Faults(crash=1), id="17-crash"),
        pytest.param(Faults(partitions=1), id="18-partitions"),
    ],
)
def test_scenario_15_to_18_each_trigger_converges(name, mode, faults):
    result = explore(name, mode=mode, faults=faults)
    assert result.verdict is Verdict.HOLDS
    assert real(result) == []
    if name == "classic":
        assert result.rounds == (1 if mode == "eager" else 2)


@pytest.mark.parametrize(("name", "mode"), EVERY)
def test_scenario_19_a_decrease_is_refused_and_nothing_happens(name, mode):
    model = build(name, mode=mode, faults=Faults(shrink=1))
    state = started(model, 2)
    refusals = [(a, after) for a, after in model.steps(state) if a.reply == "INVALID_PARTITIONS"]
    assert [str(action) for action, _ in refusals] == [
        "metadata: t shall have 1 partitions => INVALID_PARTITIONS"
    ]
    after = refusals[0][1]
    assert after.image is state.image
    assert (after.broker, after.clients) == (state.broker, state.clients), "the generation is the same"
    assert not after.budget.value.shrink
    assert settle(model, after) == after, "nobody rebalances"
    with_it, without = (explore(name, mode=mode, faults=f) for f in (Faults(shrink=1), Faults()))
    assert with_it.verdict is Verdict.HOLDS
    assert with_it.exploration.states == 2 * without.exploration.states


@given(st.integers(1, 9), st.integers(-3, 12))
def test_scenario_19_a_topic_grows_and_never_shrinks(now, wanted):
    image = image_of([("other", 3), ("t", now)])
    reply = create_partitions(image, "t", wanted)
    if wanted <= now:
        assert reply == ("INVALID_PARTITIONS", image)
    else:
        assert reply == ("NONE", image_of([("other", 3), ("t", wanted)]))
    assert create_partitions(image, "nobody", wanted) == ("UNKNOWN_TOPIC_OR_PARTITION", image)


@pytest.mark.parametrize("name", ["classic", "kip848"])
def test_scenario_20_only_a_matching_topic_is_assigned(name):
    model = build(
        name,
        members=1,
        partitions=1,
        pattern="t",
        new_topics=("other", "tt"),
        faults=Faults(topic=2),
    )
    state = settle(model, play(model, started(model, 1), "metadata topic other"))
    assert [str(tp) for tp in owned(model, state)[0]] == ["t-0"]
    state = settle(model, play(model, state, "metadata topic tt"))
    assert sorted(str(tp) for tp in owned(model, state)[0]) == ["t-0", "tt-0"]


@pytest.mark.parametrize(("name", "mode"), EVERY)
def test_scenario_21_a_deleted_topic_goes(name, mode):
    model = build(name, mode=mode, topics=2, partitions=1, faults=Faults(delete=1))
    before = started(model, 2)
    assert sorted(str(tp) for tps in owned(model, before) for tp in tps) == ["t0-0", "t1-0"]
    state = settle(model, play(model, before, "metadata topic t1 is deleted"))
    assert model.converged(state)
    assert sorted(str(tp) for tps in owned(model, state) for tp in tps) == ["t0-0"]


@pytest.mark.parametrize(("name", "mode"), EVERY)
def test_scenario_22_a_changed_subscription(name, mode):
    model = build(name, mode=mode, topics=2, partitions=2, faults=Faults(subscribe=1))
    state = settle(model, play(model, started(model, 2), "c1 subscribes"))
    mine, theirs = owned(model, state)
    assert {tp.topic for tp in mine} <= {"t0"}
    assert sorted(str(tp) for tp in (*mine, *theirs)) == ["t0-0", "t0-1", "t1-0", "t1-1"]
    assert model.converged(state)


# The classic flow.


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


# The draft.


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
    model, state = draft_run("failover", "pause")
    before = state.coordinator.generation
    state = play(model, state, "c2 pause", "coordinator fails", "coordinator elected", "coordinator loads")
    state = settle(model, play(model, state, "c2 resume"))
    assert state.coordinator.generation == before
    model = build("classic", faults=Faults(failover=1, pause=1), version=1)
    state = started(model, 2)
    before = group(state).generation
    state = settle(model, play(model, state, "c2 pauses", "coordinator moves", "c2 resumes"))
    assert group(state).generation == before


# Rolling out another assignor.

BOTH = (("range", ("eager",)), ("cooperative-sticky", ("eager", "cooperative")))
ROLLOUT = (("range",), ("range", "cooperative-sticky"), ("cooperative-sticky",))


def named(ask):
    """Range or a cooperative rule, as the group has selected."""
    from kassay.model.protocols.clients.any_balanced import AnyBalanced

    return AnyBalanced("cooperative" if ask.assignor == "cooperative-sticky" else "eager")(ask)[:1]


@pytest.mark.slow
def test_scenario_50_a_rollout_by_client_is_never_inconsistent():
    from kassay.certify.protocols.views import views_of
    from kassay.model.explore import WalkLimits
    from kassay.model.explore import explore as walk
    from kassay.model.protocols.world.models.classic import ClassicModel
    from kassay.model.protocols.world.parts.setting import ModelOptions
    from kassay.properties.protocols.registry import invariants

    model = ClassicModel(ModelOptions(assignors=ROLLOUT[:2], modes=BOTH, faults=Faults(rollout=2)), named)
    done = walk(model, invariants(views_of(model)), budget=WalkLimits(100_000))
    assert [v.invariant for v in done.violations if v.severity is Severity.REAL] == []
    assert all(cell.value.run is not Process.FATAL for state in done.graph.states for cell in state.clients)
    assert done.liveness is not None
    assert done.limit is None


def test_scenario_50_skipping_the_middle_fails():
    from kassay.model.protocols.world.models.classic import ClassicModel
    from kassay.model.protocols.world.parts.setting import ModelOptions

    model = ClassicModel(
        ModelOptions(assignment_strategies=((("range",),), (("cooperative-sticky",),)), modes=BOTH), named
    )
    state = play(model, settle(model, play(model, first(model), "c1 start")), "c2 start")
    before = group(state)
    state = play(model, state, "c2 JoinGroup")
    assert client(state, 2).run is Process.FATAL
    assert group(state) == before, "the group is untouched"


# Cooperative.


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
    assert "claims" not in joins.detail, "what was lost is not claimed"
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

"""Acceptance scenarios that several models share: joins, leaves, crashes, topics and subscriptions that change."""

from __future__ import annotations

import pytest

from kassay.certify.protocols.views import beliefs
from kassay.model.protocols.shared.faults import Faults
from kassay.model.verdict import Verdict
from tests.explored import build, explore
from tests.model.protocols.world.script import first, owned, play, real, settle, sizes, started

PROTOCOLS = ("zookeeper", "draft", "classic", "kip848")


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


# Triggers, classic (eager and cooperative) and KIP-848.

EVERY = [("classic", "eager"), ("classic", "cooperative"), ("kip848", None)]


@pytest.mark.slow_cases("18-partitions-kip848-None")
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


@pytest.mark.slow_cases("kip848-None")
@pytest.mark.parametrize(("name", "mode"), EVERY)
def test_a_changed_subscription_stays_whenever_it_changes(name, mode):
    result = explore(name, mode=mode, topics=2, partitions=1, faults=Faults(subscribe=1))
    assert result.verdict is Verdict.HOLDS
    assert "subscribed-at-rest" in result.exploration.asked
    settled = [
        state
        for state in result.exploration.graph.states
        if result.built.converged(state) and state.budget.value.spent
    ]
    assert settled
    for state in settled:
        census = beliefs(result.built, state)
        reads = {c.value.member_id: c.value.topics for c in state.clients if c.value.member_id}
        assert sorted(reads.values()) in ([("t0",)], [("t0",), ("t0", "t1")])
        assert {entry.member_id: entry.topics for entry in census.registry} == reads


@pytest.mark.parametrize("mode", ["eager", "cooperative"])
@pytest.mark.parametrize("reads", [(1, 2), (2, 1)])
def test_topics_that_a_leader_does_not_read_are_watched_too(mode, reads):
    faults = Faults(partitions=1)
    result = explore("classic", mode=mode, topics=2, partitions=1, reads=reads, faults=faults)
    assert result.verdict is Verdict.HOLDS

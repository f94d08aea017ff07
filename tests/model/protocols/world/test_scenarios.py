"""Scenarios on the integer clock (section F by number), and the rule between heartbeats and sessions.

Acceptance scenarios that several models share: joins, leaves, crashes, topics and subscriptions that change.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.engines.protocols.views import beliefs
from kassay.model.errors import InputError
from kassay.model.explore.values import Severity
from kassay.model.kinds import Verdict
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.world.clock import Timing
from tests.explored import build, explore
from tests.model.protocols.world.script import first, owned, play, real, settle, sizes, started
from tests.model.protocols.world.timed_worlds import losses_survived
from tests.model.protocols.world.walks import found, walk

# Reachable states, as pinned in `test_explore`.


# The rule between heartbeats and sessions: I17, and what it costs to break the rule.


def evicts(timing, loss, **more):
    """Whether a live, polling member may be removed, and that the walk says so where it was promised."""
    result = walk(timing, partitions=1, faults=Faults(loss=loss), **more)
    by_gravity = found(result, "live-members-kept")
    claim = timing.keeps_members(Faults(loss=loss))
    assert set(by_gravity) <= {Severity.BY_DESIGN}, "a promise was broken"
    assert not (claim and by_gravity)
    return by_gravity.get(Severity.BY_DESIGN)


def test_scenario_10_two_losses_survive_three_expire():
    assert evicts(Timing(6, 2, 8), 2, members=1) is None
    assert evicts(Timing(6, 2, 8), 3, members=1) is not None


def test_scenario_11_below_three_heartbeats_two_losses_expire():
    violation = evicts(Timing(5, 2, 8), 2, members=1)
    told = [str(step.action) for step in violation.trace[1:]]
    lost = [place for place, text in enumerate(told) if "Heartbeat" in text and "lost" in text]
    assert len(lost) == 2
    assert "expires" in told[-1]
    joined = next(place for place, text in enumerate(told) if "takes SyncGroup reply" in text)
    ticks = sum(
        int(step.action.detail.split()[0])
        for step in violation.trace[joined + 1 :]
        if step.action.actor == "time"
    )
    assert ticks == 5


@pytest.mark.parametrize(("session", "heartbeat"), [(2, 2), (2, 3), (6, 0)])
def test_scenario_12_the_interval_must_be_shorter_than_the_session(session, heartbeat):
    with pytest.raises(InputError, match="heartbeat") as refused:
        walk(Timing(session, heartbeat, 8))
    assert "\n" not in str(refused.value)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["classic", "kip848"]), st.integers(1, 4), st.integers(0, 9), st.integers(0, 3), st.data()
)
def test_the_walk_agrees_with_the_formula(model, heartbeat, more, loss, data):
    delay = data.draw(st.integers(0, heartbeat - 1))
    timing = Timing(heartbeat + delay + max(more, 1 - delay), heartbeat, 60, delay=delay)
    survived = loss <= losses_survived(timing.session, heartbeat, delay)
    assert (evicts(timing, loss, members=1, model=model) is None) == survived


@pytest.mark.exhaustive
@pytest.mark.parametrize("delay", [0, 1])
def test_the_rule_of_three_holds_with_two_members(delay):
    assert evicts(Timing(6 + delay, 2, 8, delay=delay), 2) is None
    assert evicts(Timing(5 + delay, 2, 8, delay=delay), 2) is not None


def test_a_join_phase_shorter_than_the_heartbeats_evicts_too():
    assert evicts(Timing(3, 1, 4, rebalance=1), 1) is not None
    assert evicts(Timing(3, 1, 4, rebalance=2), 1) is None


# By hand.


@pytest.mark.slow_cases("classic-no_generation_fence-pause=1-names1")
@pytest.mark.parametrize(
    ("model", "switch", "faults", "names"),
    [
        (
            "kip848",
            "ignore_unreleased",
            "",
            {"single-owner-on-record", "single-current-owner", "released-before-adopted"},
        ),
        (
            "classic",
            "no_generation_fence",
            "pause=1",
            {"commits-fenced", "offsets-never-go-back", "no-commit-while-assigning"},
        ),
    ],
)
def test_broken_rules_are_found_on_the_clock_too(model, switch, faults, names):
    result = walk(model=model, partitions=2, faults=faults, switches=frozenset({switch}))
    assert names <= {v.invariant for v in result.exploration.violations if v.severity is Severity.REAL}


# What is refused.


@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        ("migration", {}, "--clock: migration has no integer clock"),
        ("zookeeper", {}, "--clock: zookeeper has no integer clock"),
        ("draft", {}, "--clock: draft has no integer clock"),
        ("classic", {"network": "N1"}, "--network: steps has no integer clock"),
    ],
)
def test_what_has_no_clock_says_so_in_one_line(model, more, words):
    with pytest.raises(InputError, match=words) as refused:
        explore(model, clock="T1", **more)
    assert "\n" not in str(refused.value)


def test_an_unknown_clock_is_refused():
    with pytest.raises(InputError, match=r"unknown level 'T2'; expected timeless .T0. or ticks .T1."):
        explore("classic", clock="T2")


def test_the_json_tells_the_times():
    told = walk(Timing(5, 2, 8), members=1, partitions=1).to_json()["settings"]
    assert told["timing"] == {"session": 5, "heartbeat": 2, "max_poll": 8}


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
    assert "subscribed-at-rest" in result.exploration.checked
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

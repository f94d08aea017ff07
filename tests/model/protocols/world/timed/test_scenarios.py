"""Scenarios on the integer clock (section F by number), and the rule between heartbeats and sessions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.explore.values import Severity
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.world.timed.clock import Timing
from tests.explored import explore
from tests.model.protocols.world.timed.walks import found, walk
from tests.model.protocols.world.timed.worlds import (
    losses_survived,
)

# Reachable states, as pinned in `test_explore`.


# The rule between heartbeats and sessions: I17, and what it costs to break the rule.


def evicts(timing, loss, **more):
    """Whether a live, polling member may be removed, and that the walk says so where it was promised."""
    result = walk(timing, partitions=1, faults=Faults(loss=loss), **more)
    by_gravity = found(result, "live-members-kept")
    promised = timing.keeps_members(Faults(loss=loss))
    assert set(by_gravity) <= {Severity.BY_DESIGN}, "a promise was broken"
    assert not (promised and by_gravity)
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

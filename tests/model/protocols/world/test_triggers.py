"""Scenarios 16 to 18 step by step: what triggers a rebalance, how many rounds it costs, and what holds meanwhile."""

import pytest

from kassay.engines.protocols.views import beliefs, views_of
from kassay.model.explore.values import Severity
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values.groups import ClassicGroup
from kassay.properties.protocols.registry import invariants
from tests.explored import build
from tests.model.protocols.world.script import first, play, settle

EVERY = [("classic", "eager", 1), ("classic", "cooperative", 2), ("kip848", None, 2)]


def together(name, mode, members=2, partitions=2, **faults):
    """A model and its settled state once all have joined, one after the other."""
    model = build(name, mode=mode, members=members, partitions=partitions, faults=Faults(**faults))
    state = first(model)
    for number in range(1, members + 1):
        state = settle(model, play(model, state, f"c{number} start"))
    return model, state


def epoch(state):
    group = state.broker.value.state.group
    return group.generation if isinstance(group, ClassicGroup) else group.epoch


def owned(model, state):
    return {b.client: len(b.owned) for b in beliefs(model, state).beliefs if b.live}


def settle_watched(model, state):
    """The state at rest; every state and step on the way is judged by all invariants."""
    judges = invariants(views_of(model))
    for _ in range(300):
        step = next(((a, s) for a, s in model.steps(state) if not a.fault and s != state), None)
        if step is None:
            assert model.converged(state)
            return state
        findings = [f for i in judges if i.check for f in i.check(step[1]) or ()]
        findings += [
            f
            for i in judges
            if i.check_step and (i.relevant is None or i.relevant(state, step[1]))
            for f in i.check_step(state, step[1]) or ()
        ]
        assert not [f for f in findings if f.severity is Severity.REAL]
        state = step[1]
    raise AssertionError("it did not settle")


@pytest.mark.parametrize(("name", "mode", "most"), EVERY)
def test_scenario_16_a_clean_leave_hands_over_at_once(name, mode, most):
    model, state = together(name, mode, leave=1)
    before = epoch(state)
    after = settle_watched(model, play(model, state, "c2 closes"))
    assert owned(model, after) == {"c1": 2}
    assert before < epoch(after) <= before + most


@pytest.mark.parametrize(("name", "mode", "most"), EVERY)
def test_scenario_17_a_crash_is_noticed_by_the_session_timer_alone(name, mode, most):
    model, state = together(name, mode, crash=1)
    before = epoch(state)
    state = play(model, state, "c2 crashes")
    assert owned(model, settle(model, state, without=("session",))) == {"c1": 1}
    after = settle_watched(model, play(model, state, "coordinator session of c2"))
    assert owned(model, after) == {"c1": 2}
    assert before < epoch(after) <= before + most


@pytest.mark.parametrize(("name", "mode", "most"), EVERY)
def test_scenario_18_added_partitions_find_an_owner(name, mode, most):
    model = build(name, mode=mode, faults=Faults(partitions=1))
    state = first(model)
    for number in (1, 2):
        state = settle(model, play(model, state, f"c{number} start"))
    before = epoch(state)
    after = settle_watched(model, play(model, state, "metadata t grows to 3"))
    assert sorted(owned(model, after).values()) == [1, 2]
    assert before < epoch(after) <= before + most


def test_scenario_23_a_commit_that_cannot_succeed_keeps_nobody_from_joining():
    def told(*switches):
        model = build(
            "classic", topics=2, partitions=1, faults=Faults(delete=1), switches=frozenset(switches)
        )
        state = first(model)
        for number in (1, 2):
            state = settle(model, play(model, state, f"c{number} start"))
        state = play(model, state, "metadata topic t1 is deleted", "c1 notices")
        holder = next(
            b.client for b in beliefs(model, state).beliefs if any(t.topic == "t1" for t in b.owned)
        )
        if holder != "c1":
            state = play(model, state, "c1 JoinGroup", f"{holder} Heartbeat")
        return {a.name for a, _ in model.steps(state) if a.actor == holder}

    assert "JoinGroup" in told()
    assert "JoinGroup" not in told("commit_forever_in_prepare"), "KAFKA-14024"

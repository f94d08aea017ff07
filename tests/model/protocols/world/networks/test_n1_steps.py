"""Networks N1 and N2: how large their worlds are, what can happen in them that cannot at N0, and offsets."""

from __future__ import annotations

import pytest

from kassay.model.explore.traces import run
from kassay.model.explore.values import Severity
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values.groups import Role
from kassay.model.protocols.values.in_flight import channel_of
from tests.explored import as_before, build, explore
from tests.model.protocols.world.networks.worlds import CLASSIC, clean, clients, joined, settle, states
from tests.model.protocols.world.script import play

# Reachable states at N1; generations and member ids are canonical, clients are not permuted.
PINNED = {
    ("classic", "eager", 1, ""): 718,
    ("classic", "eager", 1, "crash=1"): 1772,
    ("classic", "eager", 2, ""): 718,
    ("classic", "eager", 2, "crash=1"): 1806,
    ("classic", "cooperative", 1, ""): 734,
    ("classic", "cooperative", 1, "crash=1"): 1876,
    ("classic", "cooperative", 2, ""): 1210,
    ("classic", "cooperative", 2, "crash=1"): 3194,
    ("kip848", None, 1, ""): 1119,
    ("kip848", None, 1, "crash=1"): 1535,
    ("kip848", None, 1, "loss=1"): 4476,
    ("kip848", None, 2, ""): 5379,
}
HEAVY = {
    ("classic", "eager", 1, "pause=1"): 17785,
    ("classic", "eager", 1, "loss=1"): 11418,
    ("classic", "eager", 1, "failover=1"): 20860,
    ("classic", "eager", 2, "pause=1"): 18049,
    ("classic", "eager", 2, "loss=1"): 11418,
    ("classic", "eager", 2, "failover=1"): 20860,
    ("classic", "cooperative", 1, "pause=1"): 22109,
    ("classic", "cooperative", 1, "loss=1"): 12852,
    ("classic", "cooperative", 1, "failover=1"): 26638,
    ("classic", "cooperative", 2, "pause=1"): 39757,
    ("classic", "cooperative", 2, "loss=1"): 30398,
    ("classic", "cooperative", 2, "failover=1"): 44060,
    ("kip848", None, 1, "pause=1"): 28195,
    ("kip848", None, 1, "failover=1"): 11743,
    ("kip848", None, 2, "crash=1"): 7091,
    ("kip848", None, 2, "pause=1"): 127819,
    ("kip848", None, 2, "loss=1"): 25182,
    ("kip848", None, 2, "failover=1"): 70031,
    ("migration", None, 1, ""): 41765,
}
COMMITTING = {
    ("classic", "eager", 1, "pause=1"): 63899,
    ("classic", "eager", 1, "failover=1"): 48928,
    ("classic", "eager", 1, "slow=1"): 31766,
    ("classic", "cooperative", 1, "loss=1"): 50224,
    ("kip848", None, 1, "pause=1"): 127603,
    ("kip848", None, 1, "failover=1"): 36501,
    ("kip848", None, 1, "crash=1"): 4645,
    ("kip848", None, 1, "loss=1"): 13372,
}
BY_HAND = 64_000
"""States of the largest worlds that every change is put to: those beyond take up to 23 CPU seconds each."""


def marked(worlds):
    """The worlds, those that are walked by hand alone marked."""
    return [
        pytest.param(case, marks=[pytest.mark.deep] * (states_ > BY_HAND)) for case, states_ in worlds.items()
    ]


def outcome(case, walk=explore, **more):
    name, mode, partitions, faults = case
    return walk(name, mode=mode, partitions=partitions, faults=faults, network="N1", **more)


@pytest.mark.parametrize("case", list(PINNED), ids=str)
def test_small_worlds_at_n1_are_clean_and_as_large_as_ever(case):
    result = outcome(case)
    clean(result)
    assert result.exploration.states == PINNED[case]


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", marked(HEAVY), ids=str)
def test_larger_worlds_at_n1_are_clean_and_as_large_as_ever(case):
    result = outcome(case, as_before)
    clean(result)
    assert result.exploration.states == HEAVY[case]


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", marked(COMMITTING), ids=str)
def test_commits_are_fenced_at_n1(case):
    result = outcome(case, as_before, records=1)
    clean(result)
    assert result.exploration.states == COMMITTING[case]


# What only N1 can show.


def test_one_request_at_a_time_on_each_channel():
    for name in ("classic", "kip848"):
        _, graph = states(name, partitions=1, faults=Faults(loss=1))
        for state in graph.states:
            for client in clients(state):
                under_way = [*client.wire.sent, *(returned.request for returned in client.wire.back)]
                channels = [channel_of(request) for request in under_way]
                assert len(channels) == len(set(channels))


@pytest.mark.parametrize(("name", "mode"), [*CLASSIC, ("kip848", None)])
def test_scenario_43_a_coordinator_that_still_loads_says_so_and_is_asked_again(name, mode):
    model = build(name, mode=mode, partitions=1, faults=Faults(failover=1), network="N1")
    before = joined(model, 1)
    state = play(model, before, "coordinator moves to another broker")
    assert state.broker.value.state.role is Role.LOADING
    beat = "Heartbeat" if name == "classic" else "heartbeat"
    state = play(model, state, f"c1 sends {beat}", f"c1 {beat} arrives")
    (returned,) = clients(state)[0].wire.back
    assert returned.body.error == "COORDINATOR_LOAD_IN_PROGRESS"
    state = play(model, state, f"c1 takes {beat}")
    assert clients(state)[0].owned == clients(before)[0].owned, "it backs off and keeps consuming"
    state = settle(model, play(model, state, "coordinator has loaded"))
    assert model.converged(state)
    assert clients(state)[0].member_id == clients(before)[0].member_id, "back within its session, it survives"


def test_a_request_in_flight_reaches_the_new_coordinator():
    model = build("classic", partitions=1, faults=Faults(failover=1), network="N1")
    state = play(
        model, joined(model, 1), "c2 start", "c2 sends JoinGroup", "coordinator moves", "coordinator has"
    )
    state = play(model, state, "c2 JoinGroup arrives")
    assert clients(state)[1].inbox[0].error == "MEMBER_ID_REQUIRED"
    assert model.converged(settle(model, state))


def test_what_was_parked_is_told_that_the_coordinator_is_another():
    model = build("classic", partitions=1, faults=Faults(failover=1), network="N1")
    state = play(model, joined(model, 1), "c2 start", *("c2 sends JoinGroup", "c2 JoinGroup arrives"))
    state = play(
        model, state, "c2 takes JoinGroup", "c2 sends JoinGroup", "c2 JoinGroup arrives", "coordinator moves"
    )
    assert clients(state)[1].inbox[0].error == "NOT_COORDINATOR"


def test_a_late_refusal_of_an_older_identity_is_ignored():
    """The heartbeat was answered under an identity that the client has given up since."""
    _, graph = states("classic", partitions=1, faults=Faults(slow=1))
    stale = ignored = 0
    for node, state in enumerate(graph.states):
        for c, client in enumerate(clients(state)):
            if not client.wire.back:
                continue
            request, body = client.wire.back[0]
            if body.error != "UNKNOWN_MEMBER_ID" or request.member_id == client.member_id:
                continue
            stale += 1
            for label, target in graph.edges(node):
                action = list(graph.actions)[label]
                if action.actor == f"c{c + 1}" and action.name.startswith("takes Heartbeat"):
                    after = clients(graph.states[target])[c]
                    assert (after.state, after.owned, after.rejoin) == (
                        client.state,
                        client.owned,
                        client.rejoin,
                    )
                    ignored += 1
    assert stale
    assert ignored


def test_a_loss_leaves_open_whether_the_request_was_handled():
    _, graph = states("classic", partitions=1, faults=Faults(loss=1))
    lost = [name for name in graph.actions if name.name == "loses its connection"]
    ends = set()
    for node in range(graph.expanded):
        for label, target in graph.edges(node):
            action = list(graph.actions)[label]
            if action in lost:
                c = int(action.actor[1:]) - 1
                before, after = clients(graph.states[node])[c], clients(graph.states[target])[c]
                assert (after.waits, after.inbox) == ("", ())
                assert after.connection == before.connection + bool(before.waits)
                ends.add((before.wire.speaks("main"), bool(before.inbox)))
    assert ends == {(True, False), (False, False), (False, True)}, "on its way, parked, answered"


# Offsets.


def test_a_trace_of_n1_replays():
    result = explore(
        "classic",
        mode="cooperative",
        network="N1",
        switches=frozenset({"no_withhold"}),
        stop_at_first=True,
    )
    violation = result.exploration.violations[0]
    assert violation.severity is Severity.REAL
    fresh = build("classic", mode="cooperative", network="N1", switches=frozenset({"no_withhold"}))
    trace = run(fresh, [step.action for step in violation.trace[1:]])
    assert len(trace) == len(violation.trace)

"""Networks N1 and N2: how large their worlds are, what can happen in them that cannot at N0, and offsets."""

from __future__ import annotations

import pytest

from kassay.certify.protocols.views import views_of
from kassay.model.explore.search import explore as walk
from kassay.model.explore.traces import run
from kassay.model.explore.values import Severity
from kassay.model.protocols.clients.classic_table import ClassicState
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values.groups import Role
from kassay.model.protocols.values.in_flight import SILENT, channel_of
from kassay.model.verdict import Verdict
from kassay.properties.protocols.registry import invariants
from tests.explored import build, explore
from tests.model.protocols.world.script import first, play

CLASSIC = (("classic", "eager"), ("classic", "cooperative"))

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
    ("kip848", None, 1, "crash=1"): 1507,
    ("kip848", None, 1, "loss=1"): 4476,
    ("kip848", None, 2, ""): 5379,
}
HEAVY = {
    ("classic", "eager", 1, "pause=1"): 17976,
    ("classic", "eager", 1, "loss=1"): 11418,
    ("classic", "eager", 1, "failover=1"): 20852,
    ("classic", "eager", 2, "pause=1"): 18240,
    ("classic", "eager", 2, "loss=1"): 11418,
    ("classic", "eager", 2, "failover=1"): 20852,
    ("classic", "cooperative", 1, "pause=1"): 22366,
    ("classic", "cooperative", 1, "loss=1"): 12852,
    ("classic", "cooperative", 1, "failover=1"): 26630,
    ("classic", "cooperative", 2, "pause=1"): 40230,
    ("classic", "cooperative", 2, "loss=1"): 30398,
    ("classic", "cooperative", 2, "failover=1"): 44052,
    ("kip848", None, 1, "pause=1"): 28195,
    ("kip848", None, 1, "failover=1"): 11743,
    ("kip848", None, 2, "crash=1"): 7091,
    ("kip848", None, 2, "pause=1"): 127819,
    ("kip848", None, 2, "loss=1"): 25182,
    ("kip848", None, 2, "failover=1"): 70031,
    ("migration", None, 1, ""): 37305,
}
COMMITTING = {
    ("classic", "eager", 1, "pause=1"): 64549,
    ("classic", "eager", 1, "failover=1"): 48906,
    ("classic", "eager", 1, "slow=1"): 31992,
    ("classic", "cooperative", 1, "loss=1"): 50224,
    ("kip848", None, 1, "pause=1"): 127603,
    ("kip848", None, 1, "failover=1"): 36501,
}


def outcome(case, **more):
    name, mode, partitions, faults = case
    return explore(name, mode=mode, partitions=partitions, faults=faults, network="N1", **more)


def real(result):
    return [v.invariant for v in result.exploration.violations if v.severity is Severity.REAL]


def clean(result):
    live = result.exploration.liveness
    assert real(result) == []
    assert (live.dead_ends, live.livelocks, live.hopeless) == ((), (), 0)
    assert result.verdict is Verdict.HOLDS


@pytest.mark.parametrize("case", list(PINNED), ids=str)
def test_small_worlds_at_n1_are_clean_and_as_large_as_ever(case):
    result = outcome(case)
    clean(result)
    assert result.exploration.states == PINNED[case]


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", list(HEAVY), ids=str)
def test_larger_worlds_at_n1_are_clean_and_as_large_as_ever(case):
    result = outcome(case)
    clean(result)
    assert result.exploration.states == HEAVY[case]


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", list(COMMITTING), ids=str)
def test_commits_are_fenced_at_n1(case):
    result = outcome(case, records=1)
    clean(result)
    assert result.exploration.states == COMMITTING[case]


# What only N1 can show.


def states(name, **settings):
    model = build(name, network="N1", **settings)
    done = walk(model, (), check_liveness=False)
    assert done.limit is None
    return model, done.graph


def clients(state):
    return [cell.value for cell in state.clients]


def group(state):
    return state.broker.value.state.group


def settle(model, state):
    """The nearest state at rest with silent wires: heartbeats never end, so that nothing ever stops."""
    waiting, seen = [state], {state}
    for found in waiting:
        if model.census(found).resting and all(client.wire == SILENT for client in clients(found)):
            return found
        for action, after in model.steps(found):
            if (
                not action.fault
                and action.name not in ("processes", "sends OffsetCommit")
                and after not in seen
            ):
                seen.add(after)
                waiting.append(after)
    raise AssertionError("the model cannot rest")


def joined(model, *members):
    """The clients that start one after the other, each settled before the next."""
    state = first(model)
    for number in members:
        state = settle(model, play(model, state, f"c{number} start"))
    return state


@pytest.mark.parametrize(("name", "mode"), [*CLASSIC, ("kip848", None)])
def test_every_state_of_n0_is_there_once_the_wires_fall_silent(name, mode):
    def seen(network):
        model = build(name, mode=mode, partitions=1, network=network)
        graph = walk(model, (), check_liveness=False).graph
        return {
            (clients(s)[0], clients(s)[1], s.broker.value.state, s.broker.value.armed)
            for s in graph.states
            if all(client.wire == SILENT and not client.inbox for client in clients(s))
        }

    assert seen("N0") <= seen("N1")


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


def test_scenario_43_at_n0_where_an_option_asks_for_it():
    model = build("classic", partitions=1, faults=Faults(failover=1), loading=True)
    state = play(model, joined(model, 1), "coordinator moves", "c2 start")
    refused = [action.reply for action, _ in model.steps(state) if str(action).startswith("c2 ->")]
    assert refused == ["COORDINATOR_LOAD_IN_PROGRESS"]
    result = explore("classic", partitions=1, faults=Faults(failover=1), loading=True)
    clean(result)
    assert result.exploration.states > 997, "the world in which loading takes no time"


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


def test_scenario_13_a_commit_in_flight_of_a_removed_member():
    model = build("classic", partitions=1, faults=Faults(slow=1), network="N1", records=1)
    state = play(model, joined(model, 1), "c1 processes", "c1 sends OffsetCommit", "c1 polls too late")
    assert group(state).members == ()
    state = play(model, state, "c1 OffsetCommit arrives")
    (returned,) = clients(state)[0].wire.back
    assert returned.body.error == "UNKNOWN_MEMBER_ID"
    after = play(model, state, "c1 takes OffsetCommit")
    assert clients(after)[0].state is ClassicState.UNJOINED
    assert after.offsets.value.committed == ()


def test_scenario_64_an_old_commit_has_a_stale_member_epoch():
    model = build("kip848", partitions=1, network="N1", records=1)
    state = play(
        model, joined(model, 1), "c1 processes", "c2 start", "c2 sends heartbeat", "c2 heartbeat arrives"
    )
    state = play(model, state, "c1 sends heartbeat", "c1 heartbeat arrives", "c1 sends OffsetCommit")
    told = [action.reply for action, _ in model.steps(state) if action.name == "OffsetCommit arrives"]
    assert told == ["STALE_MEMBER_EPOCH"]
    assert play(model, state, "c1 OffsetCommit arrives").offsets.value.committed == ()


def test_the_next_owner_starts_where_the_last_commit_was():
    model = build("classic", partitions=1, faults=Faults(leave=1), network="N1", records=2)
    state = play(model, joined(model, 1), "c1 processes", "c1 sends OffsetCommit", "c1 OffsetCommit arrives")
    state = settle(model, play(model, state, "c1 processes", "c1 closes", "c2 start"))
    (position,) = state.offsets.value.positions[1]
    assert position.reported >= 1
    assert state.offsets.value.positions[0] == ()


@pytest.mark.parametrize("name", ["commits-fenced", "offsets-never-go-back"])
def test_without_the_fence_a_commit_is_accepted_that_must_not_be(name):
    model = build(
        "classic",
        partitions=1,
        faults=Faults(pause=1),
        network="N1",
        records=2,
        switches=frozenset({"no_generation_fence"}),
    )
    steps = ["c1 processes", "c1 sends OffsetCommit", "c1 pauses", "c2 start"]
    state = play(model, joined(model, 1), *steps)
    state = play(model, state, *("c2 sends JoinGroup", "c2 JoinGroup arrives", "c2 takes JoinGroup"))
    state = play(model, state, "c2 sends JoinGroup", "c2 JoinGroup arrives", "coordinator join timer")
    state = play(model, state, "c2 sends SyncGroup", "c2 SyncGroup arrives", "coordinator the assignment")
    state = play(model, state, "c2 takes SyncGroup")
    if name == "offsets-never-go-back":
        state = play(
            model, state, "c2 processes", "c2 processes", "c2 sends OffsetCommit", "c2 OffsetCommit arrives"
        )
        assert state.offsets.value.committed[0][1] == 2
    state = play(model, state, "c1 OffsetCommit arrives")
    assert state.offsets.value.breach.invariant == name
    findings = [each for invariant in invariants(views_of(model), [name]) for each in invariant.check(state)]
    assert state.offsets.value.breach.message in [each.message for each in findings]


def test_with_the_fence_no_commit_goes_back():
    """The run above, with the fence: the late commit is refused."""
    model = build("classic", partitions=1, faults=Faults(pause=1), network="N1", records=1)
    state = play(model, joined(model, 1), "c1 processes", "c1 sends OffsetCommit", "c1 pauses")
    state = play(model, state, "coordinator session of c1-1", "c1 OffsetCommit arrives")
    assert clients(state)[0].run is Process.PAUSED
    assert clients(state)[0].wire.back[0].body.error == "UNKNOWN_MEMBER_ID"
    assert state.offsets.value.breach is None


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

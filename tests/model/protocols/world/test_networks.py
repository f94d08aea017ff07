"""Network N0: a request is one step, except where its reply waits.

Networks N1 and N2: how large their worlds are, what can happen in them that cannot at N0, and offsets.

Network N2: late, doubled and overtaking messages, walks at random, and what the protocols do not survive.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from kassay.engines.protocols.views import views_of
from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import Severity, WalkLimits, run
from kassay.model.kinds import Verdict
from kassay.model.protocols.faults import Faults, parse_faults
from kassay.model.protocols.values.groups import Role
from kassay.model.protocols.values.in_flight import SILENT, channel_of
from kassay.model.protocols.values.requests import ZERO_BYTES
from kassay.properties.machines.protocol import BrokenInvariant, Walk, machine_for
from kassay.properties.protocols.registry import invariants
from tests.explored import as_before, build, explore, only_known
from tests.model.protocols.world.networks_worlds import CLASSIC, clean, clients, group, joined, settle, states
from tests.model.protocols.world.script import first, play


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


def test_scenario_43_at_n0_where_an_option_asks_for_it():
    model = build("classic", partitions=1, faults=Faults(failover=1), loading=True)
    state = play(model, joined(model, 1), "coordinator moves", "c2 start")
    refused = [action.reply for action, _ in model.steps(state) if str(action).startswith("c2 ->")]
    assert refused == ["COORDINATOR_LOAD_IN_PROGRESS"]
    result = explore("classic", partitions=1, faults=Faults(failover=1), loading=True)
    only_known(result, "generation-once")
    assert result.exploration.states > 997, "the world in which loading takes no time"


MIXED = (("classic",), ("consumer",))


def failing(name, faults, **more):
    """Every step of a small world in which a write fails, with the states around it."""
    model = build(name, faults=parse_faults(faults), **more)
    graph = walk(model, (), budget=WalkLimits(1_500), check_liveness=False).graph
    for state in graph.states:
        for action, after in model.steps(state):
            if state.budget.value.write != after.budget.value.write:
                yield action, state, after


@pytest.mark.parametrize(
    ("name", "more"),
    [("classic", {}), ("classic", {"static": 1}), ("kip848", {}), ("migration", {"kinds": MIXED})],
    ids=str,
)
def test_a_failed_write_is_a_fault_that_is_told(name, more):
    answers = set()
    for action, before, after in failing(name, "write=1,loss=1", partitions=1, **more):
        assert action.fault
        assert "the write fails" in action.detail
        spent = sum(before.budget.value) - sum(after.budget.value)
        assert spent == (2 if action.reply == "reply lost" else 1)
        answers.add(action.reply)
    assert {"COORDINATOR_NOT_AVAILABLE", "reply lost"} <= answers
    assert answers <= {"COORDINATOR_NOT_AVAILABLE", "reply lost", "MEMBER_ID_REQUIRED", ""}


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
BY_HAND = 42_000
"""States of the largest worlds that every change is put to: those beyond take up to 23 CPU seconds each."""


def marked(worlds):
    """The worlds, those that are walked by hand alone marked."""
    return [
        pytest.param(case, marks=[pytest.mark.deep] * (states_ > BY_HAND)) for case, states_ in worlds.items()
    ]


def again(case):
    """B in `docs/coordinator-findings.md`: a new coordinator gives a generation out again."""
    return ("generation-once",) * (case[0] == "classic" and case[-1] == "failover=1")


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
def test_larger_worlds_at_n1_break_only_what_is_known_and_are_as_large_as_ever(case):
    result = outcome(case, as_before)
    only_known(result, *again(case))
    assert result.exploration.states == HEAVY[case]


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", marked(COMMITTING), ids=str)
def test_commits_are_fenced_at_n1(case):
    result = outcome(case, as_before, records=1)
    only_known(result, *again(case))
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


def real(result):
    return [v for v in result.exploration.violations if v.severity is Severity.REAL]


def judged(model, state):
    """The real findings against one state."""
    return [
        (invariant.name, finding.message)
        for invariant in invariants(views_of(model))
        if invariant.check
        for finding in invariant.judge(None, state)
        if finding.severity is Severity.REAL
    ]


def astray(name="classic", *, network="N2", **settings_):
    return build(name, network=network, **settings_)


# What can happen to a message.


def test_a_former_connections_request_is_handled_and_its_answer_is_not_heard():
    model = astray(partitions=1, faults=Faults(loss=1))
    state = play(
        model, first(model), "c1 start", "c1 sends JoinGroup", "c1 loses its connection its requests"
    )
    state = play(model, state, "c1 JoinGroup arrives")
    assert clients(state)[0].inbox == ()
    assert len(group(state).pending_join) == 1, "the coordinator gave out an id that nobody knows of"
    assert clients(state)[0].connection == 1


def test_a_loss_may_take_the_request_as_well():
    model = astray(partitions=1, faults=Faults(loss=1))
    state = play(model, first(model), "c1 start", "c1 sends JoinGroup")
    lost = [after for action, after in model.steps(state) if action.name == "loses its connection"]
    assert sorted(len(clients(after)[0].wire.sent) for after in lost) == [0, 1]


def test_a_doubled_request_is_answered_once():
    model = astray(partitions=1, faults=Faults(duplicate=1))
    state = play(model, first(model), "c1 start", "c1 sends JoinGroup", "c1 JoinGroup arrives duplicate")
    assert clients(state)[0].inbox[0].error == "MEMBER_ID_REQUIRED"
    state = play(model, state, "c1 takes JoinGroup", "c1 JoinGroup arrives")
    assert clients(state)[0].inbox == ()
    assert len(group(state).pending_join) == 2


def test_a_request_overtakes_another_for_a_fault_only():
    for budget, names in ((0, ["Heartbeat"]), (1, ["Heartbeat", "OffsetCommit"])):
        model = astray(partitions=1, faults=Faults(reorder=budget), records=1)
        state = play(model, joined(model, 1), "c1 processes", "c1 sends Heartbeat", "c1 sends OffsetCommit")
        arrive = sorted(a.name.split()[0] for a, _ in model.steps(state) if a.name.endswith("arrives"))
        assert arrive == names


def test_a_delayed_commit_can_go_back_which_is_by_design():
    """Two connections of one client have no order, and OffsetCommit brings none along."""
    model = astray(partitions=1, faults=Faults(loss=1), records=2)
    state = play(model, joined(model, 1), "c1 processes", "c1 sends OffsetCommit")
    late = next(
        after
        for action, after in model.steps(state)
        if action.name == "loses its connection" and clients(after)[0].wire.sent
    )
    state = play(model, late, "c1 processes", "c1 sends OffsetCommit")
    arrivals = [after for action, after in model.steps(state) if action.name == "OffsetCommit arrives"]
    (newer,) = (after for after in arrivals if after.offsets.value.committed[0][1] == 2)
    assert newer.offsets.value.breach is None
    back = play(model, newer, "c1 OffsetCommit arrives")
    assert back.offsets.value.committed[0][1] == 1
    breach = back.offsets.value.breach
    assert (breach.invariant, breach.severity) == ("offsets-never-go-back", "by design")
    assert judged(model, back) == []


def beat(model, state, number):
    """A heartbeat, its arrival and its answer, whatever else of its client is still under way."""
    state = play(model, state, f"c{number} sends heartbeat")
    sent = clients(state)[number - 1].wire.sent[-1]
    arrived = next(
        after
        for action, after in model.steps(state)
        if (action.actor, action.name) == (f"c{number}", "heartbeat arrives")
        and sent not in clients(after)[number - 1].wire.sent
    )
    return play(model, arrived, f"c{number} takes heartbeat")


def reconciled(model, state, number):
    """The client's assignment taken over, and the coordinator told."""
    return beat(model, play(model, state, *[f"c{number} reconciles"] * 2), number)


def followed(model, start, states_max):
    """The real findings against the steps that may follow without a fault, the nearest first."""
    judges = invariants(views_of(model))
    waiting, seen, breaches = [start], {start}, []
    for state in waiting:
        for action, after in model.steps(state):
            if action.fault or after in seen or len(seen) > states_max:
                continue
            seen.add(after)
            waiting.append(after)
            breaches += [
                (judge.name, finding.message)
                for judge in judges
                for finding in judge.judge(state, after)
                if finding.severity is Severity.REAL
            ]
    return breaches


def test_an_acknowledgement_of_two_epochs_ago_gives_up_nothing():
    """The coordinator's check of epochs on heartbeats: the copy would free what its client owns again."""
    model = astray("kip848", members=3, faults=Faults(duplicate=1, leave=1))
    state = beat(model, beat(model, play(model, joined(model, 1), "c2 start"), 2), 1)
    state = play(model, state, *["c1 reconciles"] * 2, "c1 sends heartbeat")
    state = play(model, state, "c1 heartbeat arrives duplicate", "c1 takes heartbeat")
    state = play(model, reconciled(model, beat(model, state, 2), 2), "c2 closes")
    state = reconciled(model, beat(model, state, 1), 1)
    assert len(clients(state)[0].owned) == 2, "what it gave up is its own again"
    state = beat(model, beat(model, play(model, state, "c3 start"), 3), 1)
    (copy,) = clients(state)[0].wire.sent
    (member,) = (member for member in group(state).members if member.member_id == copy.member_id)
    assert copy.member_epoch == member.epoch - 2
    assert copy.topic_partitions == member.assigned, "taken as of now it would acknowledge"
    late = play(model, state, "c1 heartbeat arrives")
    assert followed(model, late, 400) == []
    assert late.broker is state.broker, "it is fenced"


# What the protocols do not survive. These are findings about Kafka's protocols, not about a broken rule.


def test_oq2_a_delayed_syncgroup_of_a_lost_generation_empties_the_one_that_reuses_its_number():
    model = astray(partitions=1, faults=Faults(partitions=1, failover=1, crash=1, loss=1))
    state = play(model, joined(model, 2, 1), "metadata t grows", "c2 notices metadata", "c2 sends JoinGroup")
    state = play(model, state, "c2 JoinGroup arrives", "c1 sends Heartbeat", "c1 Heartbeat arrives")
    state = play(model, state, "c1 takes Heartbeat", "c1 sends JoinGroup", "c1 JoinGroup arrives")
    before = group(state).generation
    state = play(
        model, state, "c1 sends SyncGroup", "coordinator moves", "coordinator has loaded", "c2 crashes"
    )
    assert group(state).generation == before - 1, "the generation was not on record"
    state = play(model, state, "coordinator session of c2-1", "c1 loses its connection its requests")
    state = play(model, state, "c1 sends JoinGroup", "c1 JoinGroup arrives")
    assert (group(state).generation, group(state).leader) == (before, "c1-1"), "its number is used again"
    state = play(model, state, "c1 SyncGroup arrives", "coordinator the assignment")
    assert group(state).members[0].assignment == ZERO_BYTES, "a follower's request, taken for the leader's"
    rest = settle(model, state)
    assert [name for name, _ in judged(model, rest)] == ["complete-at-rest"]


@pytest.mark.slow
def test_oq2_needs_the_delay():
    """At N1, where requests die with their connection, the same faults find nothing."""
    result = explore("classic", partitions=1, network="N1", faults=Faults(failover=1, crash=1))
    only_known(result, "generation-once")


def test_a_delayed_join_of_kip_848_takes_an_answer_that_its_client_never_hears():
    model = astray("kip848", faults=Faults(loss=1))
    state = play(
        model, joined(model, 1), "c2 start", "c2 sends heartbeat", "c2 loses its connection its requests"
    )
    state = play(model, state, "c2 sends heartbeat")
    state = next(after for _, after in model.steps(state) if clients(after)[1].wire.back)
    state = play(model, state, "c2 takes heartbeat", "c1 sends heartbeat", "c1 heartbeat arrives")
    state = play(model, state, "c1 takes heartbeat", "c1 reconciles", "c1 reconciles", "c1 sends heartbeat")
    state = play(model, state, "c1 heartbeat arrives", "c1 takes heartbeat", "c2 heartbeat arrives")
    assert [len(member.assigned) for member in group(state).members] == [1, 1]
    assert clients(state)[1].wire.back == (), "the answer was to the former connection"
    rest = settle(model, state)
    assert [name for name, _ in judged(model, rest)] == ["complete-at-rest"]


@pytest.mark.slow
def test_oq1_a_lost_reply_while_reconciling():
    """A full heartbeat must name what is about to be owned; Kafka's client names what it completed last."""
    switches = frozenset({"full_names_completed"})
    broken = explore("kip848", network="N1", faults="loss=1", switches=switches)
    assert broken.verdict is Verdict.VIOLATED
    assert {"single-current-owner", "released-before-adopted"} <= {
        violation.invariant for violation in real(broken)
    }


# Walks at random.


def test_a_walk_at_random_never_holds():
    result = explore("classic", network="N2", states_max=300, seed=1)
    assert result.verdict is Verdict.UNKNOWN
    assert result.exploration.limit == "random walks"
    assert result.exploration.states >= 300
    assert result.to_json()["settings"]["seed"] == 1


def test_the_same_seed_walks_the_same_way_and_another_does_not():
    def told(seed):
        found = explore("kip848", network="N2", faults="loss=1,duplicate=1", states_max=400, seed=seed)
        return {k: v for k, v in found.to_json().items() if k != "elapsed_s"} | {"settings": None}

    assert told(3) == told(3)
    assert told(3) != told(4)


@pytest.mark.parametrize(
    ("name", "switch", "more"),
    [
        ("kip848", "ignore_unreleased", {}),
        ("classic", "no_withhold", {"mode": "cooperative"}),
        ("classic", "no_generation_fence", {"partitions": 1, "faults": "pause=1", "records": 1}),
    ],
)
def test_scenario_68_what_a_walk_finds_is_short_and_replays(name, switch, more):
    switches = frozenset({switch})
    result = explore(name, network="N2", switches=switches, states_max=20_000, seed=0, **more)
    assert result.verdict is Verdict.VIOLATED
    found = real(result)[0]
    actions = [step.action for step in found.trace[1:]]
    assert found.length <= 40
    fresh = build(name, network="N2", switches=switches, **more)
    assert run(fresh, actions)[-1].action == actions[-1]
    with pytest.raises(BrokenInvariant) as broken:
        Walk(fresh, invariants(views_of(fresh))).replay(actions)
    assert broken.value.actions == tuple(actions)


@pytest.mark.slow_cases("N1")
@pytest.mark.parametrize("network", ["N1", "N2"])
def test_scenario_68_the_machines_counterexample_replays_in_the_explorer(network):
    def make():
        model = astray(
            "kip848", members=3, partitions=3, network=network, switches=frozenset({"ignore_unreleased"})
        )
        return model, invariants(views_of(model))

    with pytest.raises(BrokenInvariant) as broken:
        run_state_machine_as_test(
            machine_for(make),
            settings=settings(
                max_examples=400,
                stateful_step_count=40,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )
    model, _ = make()
    trace = run(model, broken.value.actions)
    assert len(trace) == len(broken.value.actions) + 1


@pytest.mark.slow
def test_scenario_68_the_explorers_counterexample_of_n1_replays_in_the_machine():
    switches = frozenset({"no_lost_on_reset"})
    chosen = {"mode": "cooperative", "faults": "pause=1", "network": "N1", "switches": switches}
    found = real(explore("classic", stop_at_first=True, **chosen))[0]
    actions = [step.action for step in found.trace[1:]]
    fresh = build("classic", **chosen)
    with pytest.raises(BrokenInvariant) as broken:
        Walk(fresh, invariants(views_of(fresh))).replay(actions)
    assert broken.value.actions == tuple(actions)


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize(
    ("name", "network", "more"),
    [
        ("classic", "N1", {"mode": "cooperative", "faults": Faults(crash=1, pause=1, failover=1, loss=1)}),
        ("classic", "N1", {"faults": Faults(pause=1, failover=1, loss=2), "records": 2}),
        ("kip848", "N1", {"faults": Faults(crash=1, pause=1, failover=1, loss=2), "records": 1}),
        ("classic", "N2", {"faults": Faults(crash=1, pause=1, duplicate=1, reorder=1)}),
    ],
)
def test_larger_worlds_at_random(size, name, network, more):
    model = astray(name, members=size, partitions=size, network=network, **more)

    def make():
        return model, invariants(views_of(model))

    quick = settings(
        max_examples=30,
        stateful_step_count=60,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine_for(make), settings=quick)

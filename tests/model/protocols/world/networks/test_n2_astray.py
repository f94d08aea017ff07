"""Network N2: late, doubled and overtaking messages, walks at random, and what the protocols do not survive."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from kassay.certify.protocols.views import views_of
from kassay.model.explore.traces import run
from kassay.model.explore.values import Severity
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values.requests import ZERO_BYTES
from kassay.model.verdict import Verdict
from kassay.properties.machines.protocol import BrokenInvariant, Walk, machine_for
from kassay.properties.protocols.registry import invariants
from tests.explored import build, explore
from tests.model.protocols.world.networks.worlds import clients, group, joined, settle
from tests.model.protocols.world.script import first, play


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
    assert real(result) == []
    assert result.verdict is Verdict.HOLDS


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

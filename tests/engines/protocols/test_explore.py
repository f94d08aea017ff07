"""`explore` as a whole: pinned state counts, every assignor, limits, replay, and what is refused."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kassay.engines.protocols.explore import UNPROMISED, UNSEEN, UNTRIED
from kassay.engines.protocols.views import views_of
from kassay.model.errors import InputError
from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import Severity, retrace
from kassay.model.kinds import Verdict
from kassay.model.protocols.faults import Faults, parse_faults
from kassay.model.protocols.world.clock import Timing
from kassay.model.protocols.world.groups import ClassicModel
from kassay.properties.protocols.registry import invariants, load_invariants
from tests.explored import as_before, build, explore, only_known

# Reachable states, generations and member ids canonical, no client permutation. A generator that grew
# weaker, or a rule that changed, shows here first. They differ from the design's figures (measured
# on a smaller model): our clients' heartbeats carry no state, and pending member ids do.
PINNED = {
    ("zookeeper", None, 2, 2, ""): 30,
    ("zookeeper", None, 2, 2, "crash=1,pause=1"): 432,
    ("zookeeper", None, 3, 3, "crash=1"): 1651,
    ("draft", None, 2, 2, ""): 44,
    ("draft", None, 2, 2, "crash=1"): 172,
    ("draft", None, 2, 2, "failover=1"): 299,
    ("draft", None, 2, 2, "partitions=1"): 177,
    ("draft", None, 2, 2, "pause=1,failover=1"): 2295,
    ("classic", "eager", 2, 2, ""): 139,
    ("classic", "eager", 2, 2, "crash=1"): 539,
    ("classic", "eager", 2, 2, "pause=1"): 2455,
    ("classic", "eager", 2, 2, "failover=1"): 997,
    ("classic", "cooperative", 2, 2, ""): 223,
    ("classic", "cooperative", 2, 2, "pause=1"): 4673,
    ("kip848", None, 2, 2, ""): 380,
    ("kip848", None, 2, 2, "crash=1"): 828,
    ("kip848", None, 2, 2, "loss=2"): 3156,
    # Two replies lost in a row: what keeps a stale epoch from being taken for the member's shows here.
    ("kip848", None, 2, 2, "loss=2,leave=1"): 4484,
}
HEAVY = {
    ("classic", "eager", 2, 2, "crash=1,pause=1,failover=1"): 39530,
    ("classic", "cooperative", 2, 2, "crash=1,pause=1,failover=1"): 91182,
    ("kip848", None, 2, 2, "crash=1,pause=1,failover=1"): 23247,
    ("kip848", None, 2, 2, "slow=1,loss=1"): 18115,
}
REPEATED = {case for case in HEAVY if case[0] == "classic" and "failover" in case[-1]}
"""Worlds in which a generation is given out again: B in `docs/coordinator-findings.md`."""
LIMIT = 400_000


def outcome(case, walk=explore):
    name, mode, members, partitions, faults = case
    return walk(name, mode=mode, members=members, partitions=partitions, faults=faults, states_max=LIMIT)


def real(result):
    return [v.invariant for v in result.exploration.violations if v.severity is Severity.REAL]


def clean(result):
    live = result.exploration.liveness
    assert result.exploration.limit is None
    assert real(result) == []
    assert (live.dead_ends, live.livelocks, live.hopeless) == ((), (), 0)
    assert result.verdict is Verdict.HOLDS


@pytest.mark.slow_cases("('classic', 'cooperative', 2, 2, 'pause=1')")
@pytest.mark.parametrize("case", list(PINNED), ids=str)
def test_small_worlds_are_clean_and_as_large_as_ever(case):
    result = outcome(case)
    clean(result)
    assert result.exploration.states == PINNED[case]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.deep] * (HEAVY[case] > 50_000)) for case in HEAVY], ids=str
)
def test_large_worlds_break_only_what_is_known_and_are_as_large_as_ever(case):
    result = outcome(case, as_before)
    only_known(result, *["generation-once"] * (case in REPEATED))
    assert result.exploration.states == HEAVY[case]
    if case[0] == "classic":
        assert result.rounds == (1 if case[1] == "eager" else 2)


def test_of_a_part_of_a_world_nothing_is_said_about_rounds():
    whole, part = (explore("classic", states_max=states) for states in (None, 60))
    assert (whole.exploration.limit, whole.rounds) == (None, 1)
    assert (part.exploration.limit, part.rounds) == ("states", None)


@pytest.mark.slow_cases("bidirectional", "downgrade", "upgrade")
@pytest.mark.parametrize("policy", ["disabled", "upgrade", "downgrade", "bidirectional"])
def test_migration_is_safe_under_every_policy(policy):
    clean(explore("migration", policy=policy))


@pytest.mark.slow
def test_migration_the_other_way():
    clean(explore("migration", kinds=(("consumer", "classic"), ("consumer", "classic"))))


@pytest.mark.parametrize(
    "name", ["range", "ceil-range", "roundrobin", "sticky", "cooperative-sticky", "failover"]
)
def test_scenario_69_every_client_side_assignor(name):
    clean(explore("classic", assignor=name, faults=Faults(crash=1)))


@pytest.mark.parametrize("name", ["uniform", "range"])
def test_scenario_69_every_server_side_assignor(name):
    clean(explore("kip848", assignor=name, faults=Faults(crash=1)))


def test_a_topic_that_shrinks_is_told_and_one_that_grows_or_goes_is_not():
    model = build("classic")
    before = next(iter(model.initial()))
    (topic,) = before.image.value

    def told(*topics):
        after = before._replace(image=model.context.cell(topics))
        checks = [
            i for i in invariants(views_of(model), ["I14"]) if i.check_step and i.relevant(before, after)
        ]
        return [finding.message for check in checks for finding in check.check_step(before, after) or ()]

    assert told(topic._replace(partitions=1)) == ["topic t shrank"]
    assert told(topic._replace(partitions=3)) == told() == told(topic) == []


class Unreduced(ClassicModel):
    def canonical(self, state):
        return state


@pytest.mark.parametrize("faults", ["", "crash=1"])
def test_scenario_67_full_and_reduced_agree(faults):
    reduced = explore("classic", faults=faults)
    model = Unreduced(reduced.built.options)
    full = walk(model, invariants(views_of(model)))
    assert full.verdict is reduced.verdict
    assert len(full.graph.states) >= reduced.exploration.states


@pytest.mark.parametrize(
    ("model", "mode"), [("classic", "eager"), ("classic", "cooperative"), ("kip848", None)]
)
def test_clients_that_read_different_topics_are_told_apart_and_asked_what_they_are_given(model, mode):
    result = explore(model, mode=mode, topics=2, partitions=1, reads=(1, 2), faults="crash=1")
    clean(result)
    assert {config.topics for config in result.built.context.configs} == {("t0",), ("t0", "t1")}
    assert "subscribed-at-rest" in result.exploration.checked
    alike = explore(model, mode=mode, topics=2, partitions=1, reads=(2, 2), faults="crash=1")
    assert (
        alike.exploration.states
        == explore(model, mode=mode, topics=2, partitions=1, faults="crash=1").exploration.states
    )
    with pytest.raises(InputError, match="the clients are configured differently"):
        explore(model, mode=mode, topics=2, reads=(1, 2), symmetry=True)


ALWAYS = {"single-owner-on-record", "single-current-owner", "complete-at-rest", "released-before-adopted"}


@pytest.mark.parametrize(
    ("chosen", "asked", "silent"),
    [
        (
            {"model": "classic"},
            {"one-assignment-per-generation", "epochs-never-go-back", "members-watched", "commits-fenced"},
            {"epochs-in-order", "target-epoch-exclusive", "one-member-per-instance-id", "live-members-kept"},
        ),
        (
            {"model": "kip848"},
            {"epochs-never-go-back", "epochs-in-order", "target-epoch-exclusive", "members-watched"},
            {"one-assignment-per-generation", "no-commit-while-assigning", "live-members-kept"},
        ),
        ({"model": "classic", "static": 1}, {"one-member-per-instance-id"}, set()),
        ({"model": "classic", "mode": "cooperative"}, {"no-commit-while-assigning"}, set()),
        ({"model": "classic", "faults": "failover=1"}, {"member-id-kept"}, {"topics-never-shrink"}),
        ({"model": "draft", "faults": "partitions=1"}, {"epochs-never-go-back"}, {"members-watched"}),
        ({"model": "classic", "clock": "ticks", "faults": "leave=1"}, {"live-members-kept"}, set()),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_what_was_asked_is_known_and_what_was_not_is_told(chosen, asked, silent):
    result = explore(**chosen)
    clean(result)
    assert asked | ALWAYS <= result.exploration.checked
    not_checked = {one.invariant for one in result.not_checked}
    assert silent <= not_checked
    assert not_checked == set(load_invariants()) - result.exploration.checked
    told = result.to_json()["not_checked"]
    assert [(one["invariant"], one["id"], one["why"]) for one in told] == list(result.not_checked)


def test_an_invariant_is_not_asked_for_one_of_three_reasons():
    reasons = {one.invariant: one.why for one in explore("zookeeper").not_checked}
    assert reasons["commits-fenced"] == UNPROMISED
    assert reasons["members-watched"] == UNSEEN
    assert reasons["one-member-per-instance-id"] == UNTRIED
    assert "single-current-owner" not in reasons
    timing = Timing(session=4, heartbeat=3)
    for faults, why in (("leave=1", None), ("leave=1,pause=1", UNPROMISED)):
        found = explore("classic", clock="ticks", partitions=1, members=1, timing=timing, faults=faults)
        assert {one.invariant: one.why for one in found.not_checked}.get("live-members-kept") == why


def test_a_limit_is_unknown():
    result = explore("classic", faults="crash=1", states_max=100)
    assert result.exploration.limit == "states"
    assert result.verdict is Verdict.UNKNOWN
    assert explore("classic", time_s=0.0).exploration.limit == "time"


@pytest.mark.slow
def test_the_same_walk_twice():
    one, two = (explore("classic", faults="pause=1").to_json() for _ in range(2))
    for told in (one, two):
        del told["elapsed_s"]
    assert one == two


def test_traces_are_runs():
    result = explore("classic", faults="crash=1")
    graph = result.exploration.graph
    trace = retrace(result.built, graph, len(graph.states) - 1)
    assert len(trace) - 1 == graph.depths[-1]


@pytest.mark.parametrize(
    ("settings_", "words"),
    [
        ({"model": "paxos"}, "unknown model 'paxos'"),
        ({"model": "classic", "members": 9}, "--members: 9 is out of range"),
        ({"model": "classic", "partitions": 0}, "--partitions: 0"),
        ({"model": "classic", "static": 3}, "group.instance.id: 3"),
        ({"model": "classic", "assignor": "range", "mode": "cooperative"}, "does not support cooperative"),
        ({"model": "classic", "assignor": "nobody"}, "is not a client-side assignor"),
        ({"model": "kip848", "assignor": "sticky"}, "is not a server-side assignor"),
        ({"model": "classic", "faults": "flood=1"}, "unknown fault 'flood'"),
        ({"model": "classic", "faults": "crash=x"}, "expected crash=N"),
        ({"model": "classic", "switches": frozenset({"typo"})}, "unknown switch"),
        ({"model": "classic", "network": "N7"}, "unknown level 'N7'"),
        ({"model": "zookeeper", "network": "N1"}, "zookeeper supports only atomic"),
        ({"model": "draft", "network": "N1"}, "draft supports only atomic"),
        (
            {"model": "classic", "network": "N1", "faults": "reorder=1"},
            "on --network astray only, not on steps",
        ),
        ({"model": "migration", "policy": "maybe"}, "unknown policy"),
    ],
)
def test_bad_input_is_one_line(settings_, words):
    with pytest.raises(InputError, match=words) as refused:
        explore(settings_.pop("model"), **settings_)
    assert "\n" not in str(refused.value)


def test_faults_are_read_in_any_order():
    assert parse_faults("pause=2, crash=1") == Faults(crash=1, pause=2)


def shown(result):
    """What must not depend on how states are kept, or on how many processes walk."""
    done = result.exploration
    live = done.liveness
    stuck = live and (
        len(live.dead_ends),
        sorted((len(s.trace), s.states) for s in live.livelocks),
        live.hopeless,
    )
    violations = sorted((v.invariant, v.severity, v.length, v.seen) for v in done.violations)
    return (
        done.states,
        done.edges,
        done.diameter,
        done.limit,
        result.verdict,
        result.rounds,
        violations,
        stuck,
    )


WAYS = [
    ("classic", {"mode": "eager", "partitions": 1, "faults": "pause=1"}),
    ("kip848", {"members": 3, "partitions": 1}),
    ("zookeeper", {"switches": frozenset({"zk_finite_retries"}), "faults": "crash=1"}),
    (
        "classic",
        {"mode": "cooperative", "members": 3, "partitions": 1, "switches": frozenset({"no_withhold"})},
    ),
]


@pytest.mark.slow_cases("classic-{'mode': 'eager', 'partitions': 1, 'faults': 'pause=1'}")
@pytest.mark.parametrize(("model", "chosen"), WAYS, ids=str)
def test_by_fingerprints_a_walk_comes_to_the_same_and_says_how_probably_not(model, chosen):
    exact, marked = explore(model, **chosen), explore(model, **chosen, fingerprints=True)
    assert shown(marked) == shown(exact)
    assert exact.to_json()["collision_probability"] is None
    assert 0 < marked.to_json()["collision_probability"] < 1e-12
    for one, other in zip(exact.exploration.violations, marked.exploration.violations, strict=True):
        assert one.message == other.message
        assert [step.action for step in one.trace] == [step.action for step in other.trace]


@pytest.mark.slow_cases("classic-{'mode': 'eager', 'partitions': 1, 'faults': 'pause=1'}")
@pytest.mark.parametrize(("model", "chosen"), WAYS[:2], ids=str)
def test_several_processes_come_to_what_one_comes_to(model, chosen):
    alone, together = explore(model, **chosen), explore(model, **chosen, jobs=2)
    assert shown(together) == shown(alone)
    assert together.symmetric == alone.symmetric
    built = together.built
    for violation in together.exploration.violations:
        for before, step in pairwise(violation.trace):
            assert (step.action, step.state) in list(built.steps(before.state))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "chosen"),
    [
        *WAYS[2:],
        ("classic", {"mode": "eager", "faults": "crash=1,pause=1"}),
        ("kip848", {"members": 3, "faults": "crash=1"}),
        ("streams", {"partitions": 1, "faults": "crash=1"}),
        ("classic", {"timing": Timing(), "partitions": 1}),
        ("classic", {"network": "steps", "partitions": 1}),
    ],
    ids=str,
)
def test_several_processes_come_to_what_one_comes_to_in_larger_worlds(model, chosen):
    alone = shown(explore(model, **chosen))
    assert [shown(explore(model, **chosen, jobs=jobs)) for jobs in (2, 3)] == [alone, alone]


@pytest.mark.parametrize(
    ("chosen", "refused"),
    [
        ({"network": "astray", "jobs": 2}, "--jobs: not supported for random walks"),
        ({"network": "astray", "fingerprints": True}, "--states fingerprints: not supported for random"),
        ({"jobs": 2, "fingerprints": True}, "--jobs: several processes need exact states"),
    ],
)
def test_ways_to_walk_that_do_not_go_together_are_refused(chosen, refused):
    with pytest.raises(InputError, match=refused):
        explore("classic", **chosen)

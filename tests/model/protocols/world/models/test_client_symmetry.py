"""Scenario 67 under client renaming: one world of each class, the same verdicts, and traces that replay."""

from itertools import permutations

import pytest

from kassay.certify.protocols.views import views_of
from kassay.model.errors import InputError
from kassay.model.explore.search import explore as walk
from kassay.model.explore.traces import run
from kassay.model.explore.values import Severity, WalkLimits
from kassay.model.protocols.world.models.client_symmetry import ClientSymmetry, distinguished
from kassay.model.verdict import Verdict
from kassay.properties.protocols.registry import invariants
from tests.explored import build, explore
from tests.model.protocols.world.orbits import both

WORLDS = [
    ("classic", {"mode": "eager", "faults": "crash=1"}),
    ("classic", {"mode": "eager", "faults": "failover=1"}),
    ("classic", {"mode": "cooperative", "faults": "loss=1"}),
    ("classic", {"mode": "cooperative", "faults": "partitions=1"}),
    ("classic", {"mode": "eager", "members": 3, "partitions": 1}),
    ("classic", {"mode": "eager", "members": 3, "partitions": 2}),
    ("classic", {"mode": "cooperative", "members": 3, "partitions": 1}),
    ("kip848", {"faults": "pause=1"}),
    ("kip848", {"faults": "failover=1,loss=1"}),
    ("kip848", {"members": 3, "partitions": 1}),
    ("kip848", {"members": 3, "partitions": 2}),
    ("migration", {"partitions": 1}),
    ("streams", {"standby": 1, "faults": "leave=1"}),
    ("streams", {"standby": 1, "processes": 1, "faults": "crash=1"}),
    ("streams", {"partitions": 1, "faults": "failover=1,write=1"}),
    ("streams", {"members": 3, "partitions": 1}),
]
STEPS = [
    ("classic", {"mode": "eager", "partitions": 1, "faults": "crash=1"}),
    ("classic", {"mode": "cooperative", "partitions": 1, "faults": "write=1"}),
    ("kip848", {"partitions": 1, "faults": "crash=1"}),
    ("streams", {"tasks": 1}),
]
LARGE_STEPS = [
    ("classic", {"mode": "eager", "partitions": 1, "faults": "loss=1"}),
    ("classic", {"mode": "eager", "partitions": 1, "faults": "failover=1"}),
    ("classic", {"mode": "cooperative", "faults": "crash=1"}),
    ("classic", {"mode": "cooperative", "partitions": 1, "faults": "pause=1"}),
    ("classic", {"mode": "eager", "partitions": 1, "records": 1, "faults": "crash=1"}),
    ("classic", {"mode": "cooperative", "partitions": 1, "records": 1, "faults": "leave=1"}),
    ("kip848", {"partitions": 1, "faults": "loss=1"}),
    ("kip848", {"partitions": 1, "faults": "failover=1"}),
    ("kip848", {"partitions": 2, "faults": "crash=1"}),
    ("kip848", {"partitions": 1, "records": 1, "faults": "crash=1"}),
    ("streams", {"tasks": 1, "faults": "crash=1"}),
    ("streams", {"tasks": 1, "records": 1}),
    ("migration", {"partitions": 1, "kinds": (("consumer", "classic"),) * 2}),
]
LARGE = [
    ("classic", {"mode": "eager", "faults": "crash=1,pause=1"}),
    ("classic", {"mode": "cooperative", "faults": "crash=1,pause=1"}),
    ("classic", {"mode": "eager", "faults": "slow=1,leave=1"}),
    ("classic", {"mode": "cooperative", "members": 3, "partitions": 2}),
    ("classic", {"mode": "eager", "members": 3, "partitions": 2, "faults": "crash=1"}),
    ("kip848", {"faults": "crash=1,pause=1"}),
    ("streams", {"faults": "pause=1"}),
    ("streams", {"members": 3, "partitions": 2}),
]
BROKEN = [
    ("classic", "no_withhold", {"mode": "cooperative"}),
    ("classic", "no_lost_on_reset", {"mode": "cooperative", "faults": "pause=1"}),
    ("classic", "no_sync_timer", {"faults": "slow=1"}),
    ("kip848", "ignore_unreleased", {"members": 3, "partitions": 2}),
    ("kip848", "no_local_epoch", {"faults": "partitions=1"}),
    ("streams", "streams_demotion_not_awaited", {"standby": 1}),
]


def agree(name, settings):
    """Both walks of a world, once it is sure that they agree; raises AssertionError if they do not."""
    model = build(name, **settings)
    assert distinguished(model) == ""
    symmetry = ClientSymmetry(model.context.interner)
    ways = list(permutations(range(model.options.members)))
    return both(model, symmetry, lambda state: [symmetry.renamed(state, places) for places in ways])


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("classic", {"mode": "cooperative", "partitions": 1, "faults": "pause=1"}),
        ("kip848", {"partitions": 1, "faults": "pause=1"}),
    ],
)
def test_a_renamed_world_can_do_what_the_world_can_do_and_has_the_same_representative(name, settings):
    model = build(name, **settings)
    symmetry = ClientSymmetry(model.context.interner)
    states = walk(model, budget=WalkLimits(2500), check_liveness=False).graph.states
    zombies = [state for state in states if state.adopted][:100]
    assert zombies, "somebody else adopted what a zombie still holds"
    for state in (*states[::13], *zombies):
        for places in permutations(range(len(state.clients))):
            renamed = symmetry.renamed(state, places)
            assert symmetry(model.canonical(renamed)) == symmetry(state)
            assert {tp: places[c] for tp, c in state.adopted} == dict(renamed.adopted)
            assert {model.canonical(symmetry.renamed(after, places)) for _, after in model.steps(state)} == {
                model.canonical(after) for _, after in model.steps(renamed)
            }


@pytest.mark.slow_cases(
    "classic-{'mode': 'cooperative', 'faults': 'loss=1'}",
    "classic-{'mode': 'eager', 'members': 3, 'partitions': 2}",
    "kip848-{'faults': 'pause=1'}",
    "kip848-{'members': 3, 'partitions': 2}",
)
@pytest.mark.parametrize(("name", "settings"), WORLDS, ids=str)
def test_scenario_67_full_and_renamed_walks_agree(name, settings):
    full, reduced = agree(name, settings)
    assert reduced.verdict is Verdict.HOLDS
    assert reduced.states < full.states


@pytest.mark.slow
@pytest.mark.parametrize(("name", "settings"), STEPS, ids=str)
def test_full_and_renamed_walks_agree_where_messages_are_under_way(name, settings):
    full, reduced = agree(name, {**settings, "network": "steps"})
    assert reduced.verdict is Verdict.HOLDS
    assert reduced.states < 0.6 * full.states


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "settings"), LARGE_STEPS, ids=str)
def test_full_and_renamed_walks_agree_where_messages_are_under_way_in_larger_worlds(name, settings):
    full, reduced = agree(name, {**settings, "network": "steps"})
    assert reduced.states < 0.6 * full.states


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "settings"), LARGE, ids=str)
def test_scenario_67_full_and_renamed_walks_agree_on_larger_worlds(name, settings):
    full, reduced = agree(name, settings)
    assert reduced.verdict is Verdict.HOLDS
    assert reduced.states < full.states


@pytest.mark.slow_cases("classic-no_lost_on_reset-{'mode': 'cooperative', 'faults': 'pause=1'}")
@pytest.mark.parametrize(("name", "switch", "settings"), BROKEN, ids=str)
def test_scenario_67_a_broken_rule_is_found_in_both(name, switch, settings):
    _, reduced = agree(name, {**settings, "switches": frozenset({switch})})
    assert reduced.verdict is Verdict.VIOLATED


@pytest.mark.parametrize(("name", "switch", "settings"), BROKEN, ids=str)
def test_scenario_68_what_a_renamed_walk_finds_replays_without_renaming(name, switch, settings):
    settings = {**settings, "switches": frozenset({switch})}
    found = explore(name, symmetry=True, **settings)
    assert found.symmetric
    fresh = build(name, **settings)
    judged = invariants(views_of(fresh))
    for violation in found.exploration.violations:
        trace = run(fresh, [step.action for step in violation.trace[1:]])
        before, after = (trace[-2].state if len(trace) > 1 else None), trace[-1].state
        said = {
            (finding.severity, finding.message)
            for invariant in judged
            if invariant.name == violation.invariant
            for finding in (
                *((invariant.check(after) or ()) if invariant.check else ()),
                *((invariant.check_step(before, after) or ()) if invariant.check_step else ()),
            )
        }
        assert (violation.severity, violation.message) in said
    live = found.exploration.liveness
    for stuck in (*live.livelocks[:1], *live.dead_ends[:1]):
        run(fresh, [step.action for step in stuck.trace[1:]])
    real = any(violation.severity is Severity.REAL for violation in found.exploration.violations)
    assert real or live.livelocks or live.dead_ends


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("classic", {"members": 1}, "one client"),
        ("classic", {"static": 1}, "instance ids"),
        ("classic", {"assignor": "range"}, "a named assignor"),
        ("kip848", {"assignor": "uniform"}, "a named assignor"),
        ("streams", {"assignor": "streams-group-sticky"}, "a named assignor"),
        ("streams", {"endpoints": 1}, "configured differently"),
        ("streams", {"members": 3, "processes": 2}, "configured differently"),
        ("streams", {"warmup": 1}, "in the order of members"),
        ("streams", {"log": "compacted", "faults": "failover=1"}, "in the order of members"),
        (
            "migration",
            {"kinds": (("classic", "consumer"), ("consumer", "classic"))},
            "configured differently",
        ),
        (
            "classic",
            {"assignment_strategies": ((("range",),), (("any-balanced",),))},
            "configured differently",
        ),
        (
            "classic",
            {"mode": "cooperative", "switches": frozenset({"dup_claim_unchecked"})},
            "order of members",
        ),
        ("zookeeper", {}, "only clients of the classic protocol"),
        ("draft", {}, "only clients of the classic protocol"),
    ],
)
def test_where_names_matter_nobody_is_renamed(name, settings, reason):
    assert reason in distinguished(build(name, **settings))
    with pytest.raises(InputError, match="--symmetry: not applicable"):
        explore(name, symmetry=True, states_max=1, **settings)
    assert explore(name, states_max=1, **settings).symmetric == ""


def test_who_is_renamed_unless_told():
    renamed = {n: explore("kip848", members=n, partitions=1, states_max=5).symmetric for n in (2, 3)}
    assert renamed == {2: "", 3: "clients"}

"""Scenario 67 under client renaming: one world of each class, the same verdicts, and traces that replay.

Partitions renamed beside clients: one world of each class, classes of the right size, the same verdicts.
"""

from itertools import permutations, product

import pytest

from kassay.engines.protocols.explore import shares_of
from kassay.engines.protocols.views import views_of
from kassay.model.errors import InputError
from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import Severity, WalkLimits, run
from kassay.model.kinds import Verdict
from kassay.model.protocols.world.symmetry import ClientSymmetry, PartitionSymmetry, distinguished, numbered
from kassay.properties.protocols.registry import invariants
from tests.explored import build, explore, settings
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
    with pytest.raises(InputError, match="--states symmetric: not applicable"):
        explore(name, symmetry=True, states_max=1, **settings)
    assert explore(name, states_max=1, **settings).symmetric == ""


def test_who_is_renamed_unless_told():
    renamed = {n: explore("kip848", members=n, partitions=1, states_max=5).symmetric for n in (2, 3)}
    assert renamed == {2: "", 3: "clients"}


PARTITION_SYMMETRY_WORLDS = [
    ("classic", {"mode": "eager", "faults": "crash=1"}),
    ("classic", {"mode": "cooperative", "faults": "leave=1"}),
    ("classic", {"mode": "cooperative", "partitions": 3}),
    ("kip848", {"faults": "crash=1"}),
    ("kip848", {"faults": "failover=1"}),
    ("kip848", {"faults": "write=1"}),
    ("kip848", {"partitions": 3}),
    ("kip848", {"late_targets": True}),
    ("kip848", {"log": "compacted", "faults": "failover=1"}),
    ("kip848", {"faults": "failover=1", "release": "2024-10"}),
]
PARTITION_SYMMETRY_LARGE = [
    ("classic", {"mode": "eager", "members": 3, "partitions": 2}),
    ("classic", {"mode": "eager", "faults": "pause=1"}),
    ("classic", {"mode": "cooperative", "faults": "pause=1"}),
    ("classic", {"mode": "eager", "faults": "slow=1,write=1"}),
    ("classic", {"mode": "cooperative", "faults": "failover=1,remove=1"}),
    ("classic", {"mode": "cooperative", "faults": "loss=1"}),
    ("classic", {"mode": "cooperative", "members": 3, "partitions": 3}),
    ("classic", {"mode": "cooperative", "log": "compacted", "faults": "failover=1"}),
    ("kip848", {"faults": "crash=1,pause=1"}),
    ("kip848", {"faults": "failover=1,loss=1"}),
    ("kip848", {"faults": "slow=1,assignor=1"}),
    ("kip848", {"faults": "remove=1"}),
    ("kip848", {"members": 3, "partitions": 3}),
    ("kip848", {"log": "compacted", "faults": "crash=1,failover=1"}),
    ("kip848", {"offload": True}),
    ("migration", {"partitions": 2}),
    ("classic", {"mode": "eager", "network": "steps", "faults": "crash=1"}),
    ("classic", {"mode": "cooperative", "network": "steps"}),
    ("classic", {"mode": "cooperative", "network": "steps", "faults": "loss=1"}),
    ("kip848", {"network": "steps", "faults": "crash=1"}),
    ("kip848", {"network": "steps", "faults": "loss=1"}),
]
PARTITION_SYMMETRY_BROKEN = [
    ("classic", "no_withhold", {"mode": "cooperative"}),
    ("classic", "no_lost_on_reset", {"mode": "cooperative", "faults": "pause=1"}),
    ("kip848", "ignore_unreleased", {"members": 3, "partitions": 2}),
]


def symmetry_of(model):
    return PartitionSymmetry(model.options.partitions, model.context.interner)


def renamings(model):
    """All ways to rename clients and partitions together."""
    o = model.options
    return list(product(permutations(range(o.members)), permutations(range(o.partitions))))


def partition_symmetry_agree(name, chosen):
    """Both walks of a world, once it is sure that they agree; raises AssertionError if they do not."""
    model = build(name, **chosen)
    assert numbered(model) == ""
    symmetry = symmetry_of(model)
    return both(model, symmetry, lambda state: [symmetry.renamed(state, *way) for way in renamings(model)])


@pytest.mark.parametrize(("name", "chosen"), PARTITION_SYMMETRY_WORLDS, ids=str)
def test_full_and_renamed_walks_agree_and_classes_add_up(name, chosen):
    full, reduced = partition_symmetry_agree(name, chosen)
    assert 2 * reduced.states < full.states


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "chosen"), PARTITION_SYMMETRY_LARGE, ids=str)
def test_full_and_renamed_walks_agree_and_classes_add_up_in_larger_worlds(name, chosen):
    full, reduced = partition_symmetry_agree(name, chosen)
    assert 2 * reduced.states < full.states


@pytest.mark.slow
@pytest.mark.parametrize(("name", "switch", "chosen"), PARTITION_SYMMETRY_BROKEN, ids=str)
def test_a_broken_rule_is_found_in_both_and_its_trace_is_a_run(name, switch, chosen):
    chosen = {**chosen, "switches": frozenset({switch})}
    _, reduced = partition_symmetry_agree(name, chosen)
    assert reduced.verdict is Verdict.VIOLATED
    for violation in reduced.violations:
        run(build(name, **chosen), [step.action for step in violation.trace[1:]])


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("classic", {"mode": "cooperative", "faults": "pause=1"}),
        ("kip848", {"faults": "pause=1"}),
    ],
)
def test_a_renamed_world_can_do_what_the_world_can_do_and_has_the_same_representative_partition_symmetry(
    name, chosen
):
    model = build(name, **chosen)
    symmetry = symmetry_of(model)
    states = walk(model, budget=WalkLimits(2500), check_liveness=False).graph.states
    zombies = [state for state in states if state.adopted][:12]
    assert zombies, "somebody else adopted what a zombie still holds"
    for state in (*states[::97], *zombies):
        for way in renamings(model):
            renamed = model.canonical(symmetry.renamed(state, *way))
            assert symmetry(renamed) == symmetry(state)
            after = {model.canonical(symmetry.renamed(after, *way)) for _, after in model.steps(state)}
            assert after == {model.canonical(after) for _, after in model.steps(renamed)}


def test_all_ways_to_rename_a_world_of_three_lead_to_one():
    # Of two members the coordinator knows another than the third, and what they own is in the order of names.
    model = build("classic", mode="cooperative", members=3, partitions=3)
    symmetry = symmetry_of(model)
    states = walk(model, budget=WalkLimits(1500), check_liveness=False).graph.states
    for state in states[1000::9]:
        renamed = [model.canonical(symmetry.renamed(state, *way)) for way in renamings(model)]
        assert {symmetry(each) for each in renamed} == {symmetry(state)}


def test_every_process_takes_the_same_representative():
    chosen = settings("kip848", partitions=3)
    first, second = (shares_of(chosen, symmetric="clients, partitions") for _ in range(2))
    states = walk(first.model, budget=WalkLimits(100), check_liveness=False).graph.states
    for state in reversed(states):
        there = second.codec.decode(first.codec.encode(state))
        assert second.codec.encode(second.model.canonical(there)) == first.codec.encode(state)


@pytest.mark.parametrize(
    ("name", "chosen", "reason"),
    [
        ("kip848", {"partitions": 1}, "one partition"),
        ("kip848", {"topics": 2}, "several topics"),
        ("classic", {"network": "steps", "records": 1}, "the history of offsets"),
        ("classic", {"network": "astray"}, "only random walks"),
        ("classic", {"clock": "ticks"}, "without a clock"),
        ("classic", {"faults": "partitions=1"}, "partitions changes"),
        ("kip848", {"faults": "delete=1,partitions=1"}, "partitions, delete changes"),
        ("classic", {"static": 1}, "instance ids"),
        ("kip848", {"assignor": "uniform"}, "a named assignor"),
        ("streams", {}, "only partitions of the classic protocol"),
        ("draft", {}, "only partitions of the classic protocol"),
    ],
)
def test_where_numbers_matter_no_partition_is_renamed(name, chosen, reason):
    assert reason in numbered(build(name, **chosen))


def test_which_are_renamed_unless_told():
    shapes = [(2, 3, None), (3, 3, None), (3, 1, True), (2, 2, True), (3, 3, False)]
    renamed = [
        explore("kip848", members=m, partitions=p, symmetry=told, states_max=5).symmetric
        for m, p, told in shapes
    ]
    assert renamed == ["", "clients", "clients", "clients, partitions", ""]

"""Partitions renamed beside clients: one world of each class, classes of the right size, the same verdicts."""

from itertools import permutations, product

import pytest

from kassay.certify.protocols.explore import shares_of
from kassay.model.explore.search import explore as walk
from kassay.model.explore.traces import run
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.world.models.partition_symmetry import PartitionSymmetry, numbered
from kassay.model.verdict import Verdict
from tests.explored import build, explore, settings
from tests.model.protocols.world.orbits import both

WORLDS = [
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
LARGE = [
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
BROKEN = [
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


def agree(name, chosen):
    """Both walks of a world, once it is sure that they agree; raises AssertionError if they do not."""
    model = build(name, **chosen)
    assert numbered(model) == ""
    symmetry = symmetry_of(model)
    return both(model, symmetry, lambda state: [symmetry.renamed(state, *way) for way in renamings(model)])


@pytest.mark.parametrize(("name", "chosen"), WORLDS, ids=str)
def test_full_and_renamed_walks_agree_and_classes_add_up(name, chosen):
    full, reduced = agree(name, chosen)
    assert 2 * reduced.states < full.states


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "chosen"), LARGE, ids=str)
def test_full_and_renamed_walks_agree_and_classes_add_up_in_larger_worlds(name, chosen):
    full, reduced = agree(name, chosen)
    assert 2 * reduced.states < full.states


@pytest.mark.slow
@pytest.mark.parametrize(("name", "switch", "chosen"), BROKEN, ids=str)
def test_a_broken_rule_is_found_in_both_and_its_trace_is_a_run(name, switch, chosen):
    chosen = {**chosen, "switches": frozenset({switch})}
    _, reduced = agree(name, chosen)
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
def test_a_renamed_world_can_do_what_the_world_can_do_and_has_the_same_representative(name, chosen):
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

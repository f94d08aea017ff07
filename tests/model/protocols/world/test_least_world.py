"""The least world by stages: the first part decides, one name a coordinator, and alike in every process."""

import itertools
from itertools import permutations, product

import pytest

from kassay.engines.protocols.views import codec_of
from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.world.canonical import WorldRenaming, least, orders_of, ranked, sources
from kassay.model.protocols.world.symmetry import ClientSymmetry, PartitionSymmetry
from tests.explored import build
from tests.model.protocols.world.orbits import both

WORLDS = [
    ("classic", {"mode": "eager", "members": 3, "partitions": 1}),
    ("classic", {"mode": "cooperative", "faults": "loss=1"}),
    ("classic", {"mode": "cooperative", "partitions": 1, "faults": "failover=1", "network": "steps"}),
    ("kip848", {"members": 3, "partitions": 2}),
    ("kip848", {"faults": "failover=1,loss=1"}),
    ("migration", {"partitions": 1}),
    ("streams", {"members": 3, "partitions": 1}),
]


def symmetry_of(kind, model):
    interner = model.context.interner
    return PartitionSymmetry(2, interner) if kind is PartitionSymmetry else ClientSymmetry(interner)


def by_bytes(model):
    """As several processes order clients."""
    return ClientSymmetry(model.context.interner, codec_of(model).cell_bytes)


@pytest.mark.slow_cases(
    "classic-{'mode': 'cooperative', 'faults': 'loss=1'}",
    "classic-{'mode': 'cooperative', 'partitions': 1, 'faults': 'failover=1', 'network': 'steps'}",
    "kip848-{'members': 3, 'partitions': 2}",
)
@pytest.mark.parametrize(("name", "settings"), WORLDS, ids=str)
def test_one_world_of_each_class_is_walked_and_the_verdicts_are_those_of_all(name, settings):
    model = build(name, **settings)
    places = list(permutations(range(model.options.members)))
    symmetry = by_bytes(model)
    full, reduced = both(model, symmetry, lambda state: (symmetry.renamed(state, each) for each in places))
    assert reduced.states < full.states


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["classic", "kip848"])
def test_one_world_of_each_class_is_walked_where_three_clients_meet_a_failover(name):
    model = build(name, members=3, partitions=2, faults="failover=1")
    symmetry = by_bytes(model)
    places = list(permutations(range(3)))
    full, reduced = both(model, symmetry, lambda state: (symmetry.renamed(state, each) for each in places))
    assert reduced.states < full.states


@pytest.mark.parametrize("kind", [ClientSymmetry, PartitionSymmetry])
def test_a_coordinator_is_met_under_one_name(kind):
    model = build("kip848", members=3, partitions=2)
    symmetry = symmetry_of(kind, model)
    states = walk(model, symmetry=symmetry, check_liveness=False).graph.states
    coordinators = {state.broker.value.coordinator for state in states}
    assert len(coordinators) > 30
    for coordinator in coordinators:
        least_ones = {symmetry.part(coordinator, way) for way in symmetry._of_coordinator(coordinator, 3)}
        assert least_ones == {coordinator}


@pytest.mark.parametrize("kind", [ClientSymmetry, PartitionSymmetry])
def test_all_ways_to_the_least_world_lead_there_and_no_other_candidate_does(kind):
    model = build("kip848", members=3, partitions=2)
    symmetry = symmetry_of(kind, model)
    states = walk(model, budget=WalkLimits(1500), check_liveness=False).graph.states
    for state in states[::29]:
        ways = symmetry.ways(state)
        assert {symmetry.world(state, way) for way in ways} == {symmetry(state)}
        for way in symmetry.candidates(state.broker.value.coordinator, 3):
            assert (symmetry.world(state, way) == symmetry(state)) is (way in ways)


@pytest.mark.parametrize("kind", [ClientSymmetry, PartitionSymmetry])
@pytest.mark.parametrize("name", ["classic", "kip848"])
def test_a_renamed_world_can_do_the_renamed_deeds(kind, name):
    model = build(name, members=3, partitions=2, faults="pause=1")
    symmetry = symmetry_of(kind, model)
    numbers = [(0, 1), (1, 0)] if kind is PartitionSymmetry else [()]
    states = walk(model, budget=WalkLimits(1500), check_liveness=False).graph.states
    for state in states[::83]:
        for way in itertools.starmap(WorldRenaming, product(permutations(range(3)), numbers)):
            deeds = {symmetry.deed(action, way) for action, _ in model.steps(state)}
            renamed = model.canonical(symmetry.world(state, way))
            assert deeds == {(action.actor, action.name) for action, _ in model.steps(renamed)}


@pytest.mark.parametrize("way", [WorldRenaming((1, 2, 0), (1, 0)), WorldRenaming((2, 0, 1, 3))])
def test_renamings_are_a_group(way):
    stays = way.then(way.inverse())
    assert stays == way.inverse().then(way)
    assert way.then(stays) == stays.then(way) == way
    assert stays.then(stays) == stays


def test_processes_that_made_their_cells_in_another_order_agree():
    here, there = (build("classic", mode="eager", members=3, partitions=1) for _ in range(2))
    states = list(walk(here, budget=WalkLimits(2_000), check_liveness=False).graph.states)
    ours, theirs = codec_of(here), codec_of(there)
    symmetry, other = by_bytes(here), by_bytes(there)
    for state in reversed(states):
        assert theirs.encode(other(theirs.decode(ours.encode(state)))) == ours.encode(symmetry(state))


def test_all_of_the_least_key_are_kept_in_their_order():
    assert least((5, 2, 4, 3, 8), lambda number: number % 3) == (3,)
    assert least((5, 2, 4, 7, 8, 1), lambda number: number % 3) == (4, 7, 1)


@pytest.mark.parametrize("keys", [(3, 1, 2), (1, 1, 1), (2, 1, 2, 1)])
def test_orders_put_keys_in_order_and_there_is_no_other(keys):
    orders = orders_of(ranked(keys))
    in_order = {
        places
        for places in permutations(range(len(keys)))
        if [keys[c] for c in sources(places)] == sorted(keys)
    }
    assert set(orders) == in_order
    assert len(orders) == len(in_order)

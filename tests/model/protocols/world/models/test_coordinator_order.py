"""Clients renamed by coordinator first: one world of each class all the same, and few names a coordinator."""

from itertools import permutations

import pytest

from kassay.certify.protocols.stable import codec_of
from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.world.models.client_symmetry import ClientSymmetry
from kassay.model.protocols.world.models.coordinator_order import CoordinatorOrder
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


def ordered(model):
    return CoordinatorOrder(model.context.interner, codec_of(model))


@pytest.mark.parametrize(("name", "settings"), WORLDS, ids=str)
def test_one_world_of_each_class_is_walked_and_the_verdicts_are_those_of_all(name, settings):
    model = build(name, **settings)
    places = list(permutations(range(model.options.members)))
    symmetry = ordered(model)
    full, reduced = both(model, symmetry, lambda state: (symmetry.renamed(state, each) for each in places))
    assert reduced.states < full.states


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["classic", "kip848"])
def test_one_world_of_each_class_is_walked_where_three_clients_meet_a_failover(name):
    model = build(name, members=3, partitions=2, faults="failover=1")
    symmetry = ordered(model)
    places = list(permutations(range(3)))
    full, reduced = both(model, symmetry, lambda state: (symmetry.renamed(state, each) for each in places))
    assert reduced.states < full.states


def coordinators(done):
    return {state.broker.value.coordinator for state in done.graph.states}


def test_coordinators_are_met_under_fewer_names():
    model = build("kip848", members=3, partitions=2)
    by_coordinator = walk(model, symmetry=ordered(model), check_liveness=False)
    by_client = walk(model, symmetry=ClientSymmetry(model.context.interner), check_liveness=False)
    assert by_coordinator.states == by_client.states
    assert len(coordinators(by_coordinator)) * 3 < len(coordinators(by_client)) * 2


def test_processes_that_made_their_cells_in_another_order_agree():
    here, there = (build("classic", mode="eager", members=3, partitions=1) for _ in range(2))
    states = list(walk(here, budget=WalkLimits(2_000), check_liveness=False).graph.states)
    ours, theirs = codec_of(here), codec_of(there)
    symmetry, other = ordered(here), ordered(there)
    for state in reversed(states):
        assert theirs.encode(other(theirs.decode(ours.encode(state)))) == ours.encode(symmetry(state))

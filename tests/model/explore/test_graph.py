"""The flat graph of a walk: its paths are walks of the model, its edges the model's steps."""

from itertools import pairwise

from hypothesis import given, settings

from kassay.model.explore.graph import Action
from kassay.model.explore.search import explore
from tests.model.explore.toys import graphs


@settings(max_examples=25)
@given(graphs())
def test_a_path_is_a_shortest_walk_from_the_start(toy):
    graph = explore(toy).graph
    assert graph.expanded == len(graph.states)
    for node, depth in enumerate(graph.depths):
        path = graph.path(node)
        assert (len(path), path[-1]) == (depth + 1, node)
        assert graph.states[path[0]] in toy.initial()
        for before, after in pairwise(path):
            assert graph.states[after] in [there for _, there in toy.steps(graph.states[before])]


@settings(max_examples=25)
@given(graphs())
def test_the_edges_of_a_state_are_its_steps(toy):
    graph = explore(toy).graph
    action = {number: name for name, number in graph.actions.items()}
    for node, state in enumerate(graph.states):
        edges = [(action[label], graph.states[target]) for label, target in graph.edges(node)]
        assert edges == list(toy.steps(state))


def test_an_action_is_told_with_what_it_has():
    assert str(Action("c1", "closes")) == "c1: closes"
    told = Action("c1", "sends", "coordinator", "generation 2", "NONE")
    assert str(told) == "c1 -> coordinator: sends(generation 2) => NONE"

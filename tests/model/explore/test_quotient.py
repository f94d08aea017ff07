"""Fairness found out on representatives says what it says of all the states that these stand for."""

from itertools import permutations
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.liveness import judge_liveness
from kassay.model.explore.quotient import GroupSymmetry, ends_by_fairness
from kassay.model.explore.reduced import Reduced
from kassay.model.explore.search import explore
from tests.model.explore.toys import Clients, act, graphs, in_order

ON, BACK, OUT = act("on"), act("back"), act("out")


class Places(NamedTuple):
    """The new place of each client."""

    of: tuple

    def then(self, other):
        return Places(tuple(other.of[place] for place in self.of))

    def inverse(self):
        return Places(tuple(map(self.of.index, range(len(self.of)))))


class InOrder(GroupSymmetry):
    """`in_order`, and by which renamings."""

    def __call__(self, state):
        return in_order(state)

    def ways(self, state):
        places = map(Places, permutations(range(len(state))))
        return [way for way in places if tuple(state[c] for c in way.inverse().of) == in_order(state)]

    def deed(self, action, way):
        return f"c{way.of[int(action.actor[1:]) - 1] + 1}", action.name


class Begging(Clients):
    """A token goes from hand to hand; whoever is next may beg for it, which ends it."""

    def initial(self):
        return [(0,) * (self.count - 1) + (1,)]

    def steps(self, state):
        if 1 not in state:
            return []
        at = state.index(1)
        passed_on = (*state[-1:], *state[:-1])
        beggar = (at + 1) % self.count
        return [
            (act("hands on", f"c{at + 1}"), passed_on),
            (act("begs", f"c{beggar + 1}"), (2,) * self.count),
        ]


def judged(model, symmetry):
    done = explore(model, symmetry=symmetry)
    live = judge_liveness(Reduced(model, symmetry), done.graph)
    return len(live.livelocks), len(live.dead_ends), live.hopeless, live.undecided


@given(graphs(states_max=4), st.integers(1, 3))
def test_verdicts_are_those_of_unfolded_components(toy, count):
    alone = {state: [(a, t) for a, t in arrows] for state, arrows in toy.arrows.items()}
    model = Clients(alone, toy.good, count)
    assert judged(model, InOrder()) == judged(model, in_order)


def component_of(model):
    """The reduced walk of a model, and the states of it that are not converged."""
    reduced = Reduced(model, InOrder())
    graph = explore(model, symmetry=InOrder()).graph
    return reduced, graph, {n for n, state in enumerate(graph.states) if not model.converged(state)}


def test_a_way_out_that_all_have_and_one_refuses_ends_it():
    model = Clients({0: [(ON, 1), (OUT, 2)], 1: [(BACK, 0), (OUT, 2)]}, frozenset({2}), count=3)
    reduced, graph, _ = component_of(model)
    going_round = {n for n, state in enumerate(graph.states) if 2 not in state}
    assert len(going_round) == 4
    assert ends_by_fairness(reduced, graph, going_round)


def test_who_refuses_is_followed_from_one_representative_to_the_next():
    """One client goes round, which puts it before the other or behind; the other could go out all the time."""

    class Round(Clients):
        def initial(self):
            return [(0, 1)]

    model = Round({0: [(ON, 3)], 1: [(OUT, 2)], 3: [(BACK, 0)]}, frozenset({2}), count=2)
    reduced, graph, _ = component_of(model)
    going_round = {n for n, state in enumerate(graph.states) if 2 not in state}
    assert {graph.states[n] for n in going_round} == {(0, 1), (1, 3)}
    assert ends_by_fairness(reduced, graph, going_round)


def test_what_is_left_to_another_each_time_is_refused_by_nobody():
    """One representative in which somebody may beg: but by turns that is everybody."""
    reduced, graph, going_round = component_of(Begging({}, frozenset({2}), 2))
    assert len(going_round) == 1
    assert not ends_by_fairness(reduced, graph, going_round)
    assert judged(reduced.full, InOrder()) == (1, 0, 0, 0)


def test_a_component_of_many_states_is_not_unfolded_to_be_excused():
    model = Clients({0: [(ON, 1), (OUT, 2)], 1: [(BACK, 0), (OUT, 2)]}, frozenset({2}), count=3)
    done = explore(model, symmetry=InOrder())
    live = judge_liveness(Reduced(model, InOrder()), done.graph, unfolded_max=2)
    assert (live.livelocks, live.undecided) == ((), 0)


def test_a_symmetry_that_tells_no_renamings_excuses_nothing():
    model = Clients({0: [(ON, 1), (OUT, 2)], 1: [(BACK, 0), (OUT, 2)]}, frozenset({2}), count=2)
    graph = explore(model, symmetry=in_order).graph
    assert not ends_by_fairness(Reduced(model, in_order), graph, {0, 1})

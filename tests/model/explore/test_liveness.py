"""The graph check: dead ends, livelocks and what excuses them, and rounds between disturbances.

Fairness found out on representatives says what it says of all the states that these stand for.
"""

from itertools import permutations
from typing import NamedTuple

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.liveness import (
    GroupSymmetry,
    components,
    ends_by_fairness,
    judge_liveness,
    rounds_between_disturbances,
)
from kassay.model.explore.search import explore
from kassay.model.explore.values import Reduced, WalkLimits
from kassay.model.kinds import Verdict
from tests.model.explore.toys import Clients, Toy, act, chain, graphs, in_order

GO, ROUND, BACK, OUT = act("go"), act("round"), act("back"), act("out", "b")


def judged(arrows, *good):
    return explore(Toy(arrows, frozenset(good)))


def test_a_dead_end_is_found_with_the_way_to_it():
    done = judged({0: [(GO, 1)], 1: []})
    (end,) = done.liveness.dead_ends
    assert [step.state for step in end.trace] == [0, 1]
    assert (done.verdict, done.liveness.hopeless) == (Verdict.VIOLATED, 2)


def test_where_a_run_may_rest_is_no_dead_end():
    assert judged({0: [(GO, 1)], 1: []}, 1).verdict is Verdict.HOLDS


def test_a_step_to_itself_leads_nowhere():
    assert len(judged({0: [(GO, 1)], 1: [(ROUND, 1)]}).liveness.dead_ends) == 1


def test_a_fault_is_no_way_out():
    fault = act("crash", fault=True)
    assert len(judged({0: [(GO, 1)], 1: [(fault, 2)]}, 2).liveness.dead_ends) == 1


def test_a_livelock_is_found_with_its_cycle():
    done = judged({0: [(GO, 1)], 1: [(ROUND, 2)], 2: [(BACK, 1)]})
    (stuck,) = done.liveness.livelocks
    assert ([step.state for step in stuck.trace], stuck.states) == ([0, 1], 2)
    assert stuck.cycle == (ROUND, BACK)
    assert done.verdict is Verdict.VIOLATED


def test_a_cycle_of_states_to_rest_in_is_none():
    assert judged({0: [(ROUND, 1)], 1: [(BACK, 0)]}, 0, 1).verdict is Verdict.HOLDS


def test_weak_fairness_excuses_a_cycle_whose_way_out_is_always_open():
    assert judged({0: [(ROUND, 1), (OUT, 2)], 1: [(BACK, 0), (OUT, 2)]}, 2).verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("name", "arrows"),
    [
        ("open only now and then", {0: [(ROUND, 1), (OUT, 2)], 1: [(BACK, 0)]}),
        (
            "promised by nobody",
            {0: [(ROUND, 1), (OUT._replace(fair=False), 2)], 1: [(BACK, 0), (OUT._replace(fair=False), 2)]},
        ),
        ("also taken inside", {0: [(ROUND, 1), (OUT, 2)], 1: [(OUT, 0)]}),
        ("also taken to stay", {0: [(ROUND, 1), (OUT, 0)], 1: [(BACK, 0), (OUT, 2)]}),
        ("nothing else than staying", {0: [(ROUND, 1), (OUT, 0)], 1: [(BACK, 0), (OUT, 1)], 2: []}),
        ("another's", {0: [(ROUND, 1), (OUT, 2)], 1: [(BACK, 0), (act("out", "c"), 2)]}),
        (
            "a fault",
            {0: [(ROUND, 1), (OUT._replace(fault=True), 2)], 1: [(BACK, 0), (OUT._replace(fault=True), 2)]},
        ),
    ],
)
def test_weak_fairness_does_not_excuse_a_cycle_whose_way_out_is(name, arrows):
    assert len(judged(arrows, 2).liveness.livelocks) == 1, name


def test_states_without_hope_are_counted():
    assert judged({0: [(GO, 1), (OUT, 2)], 1: [(ROUND, 1)], 2: []}, 2).liveness.hopeless == 1


def reaches(toy, state):
    """What can be reached without faults, by the book."""
    seen = {state}
    while True:
        more = {t for s in seen for a, t in toy.steps(s) if not a.fault} - seen
        if not more:
            return seen
        seen |= more


@given(graphs())
def test_the_verdict_by_the_book(toy):
    """From its definition: components by mutual reachability, fairness by comparing sets."""
    done = explore(toy)
    states = done.graph.states
    beyond = {s: reaches(toy, s) for s in states}
    moves = {s: [(a, t) for a, t in toy.steps(s) if not a.fault] for s in states}
    ends = {s for s in states if all(t == s for _, t in moves[s]) and s not in toy.good}
    groups = {frozenset(t for t in beyond[s] if s in beyond[t]) for s in states}
    stuck = 0
    for group in groups:
        if len(group) > 1 and not group <= toy.good:
            enabled = [{(a.actor, a.name) for a, _ in moves[s] if a.fair} for s in group]
            taken = {(a.actor, a.name) for s in group for a, t in moves[s] if a.fair and t in group}
            stuck += not set.intersection(*enabled) - taken
    live = done.liveness
    assert (len(live.dead_ends), len(live.livelocks)) == (len(ends), stuck)
    assert live.hopeless == sum(not beyond[s] & toy.good for s in states)


@given(graphs())
def test_a_cycle_goes_round_inside_its_livelock(toy):
    for stuck in explore(toy).liveness.livelocks:
        state = stuck.trace[-1].state
        assert stuck.cycle
        for action in stuck.cycle:
            state = next(after for taken, after in toy.steps(state) if taken == action)
        assert state == stuck.trace[-1].state


def most_rounds(toy):
    """By the book: the heaviest walk without faults and disturbances, or None if it can grow for ever."""
    states = explore(toy).graph.states
    links = [(s, t, a.rounds) for s in states for a, t in toy.steps(s) if not a.fault and not a.disturbs]
    best = dict.fromkeys(states, 0)
    for _ in range(len(states) * 2 + 2):
        grown = dict(best)
        for s, t, rounds in links:
            grown[t] = max(grown[t], best[s] + rounds)
        if grown == best:
            return max(best.values())
        best = grown
    return None


@given(graphs())
def test_rounds_between_disturbances_by_the_book(toy):
    assert rounds_between_disturbances(explore(toy).graph) == most_rounds(toy)


def test_a_round_that_can_be_repeated_has_no_bound():
    new = act("generation", rounds=1)
    assert rounds_between_disturbances(judged({0: [(new, 1)], 1: [(BACK, 0)]}).graph) is None
    assert rounds_between_disturbances(judged({0: [(new, 0)]}).graph) is None
    assert rounds_between_disturbances(judged({0: [(new, 1)], 1: [(new, 2)]}, 2).graph) == 2
    eviction = new._replace(disturbs=True)
    assert rounds_between_disturbances(judged({0: [(new, 1)], 1: [(eviction, 0)]}).graph) == 1


def test_liveness_can_be_judged_later():
    toy = Toy({0: [(GO, 1)]}, frozenset({1}))
    done = explore(toy, check_liveness=False)
    assert (done.liveness, done.verdict) == (None, Verdict.UNKNOWN)
    assert judge_liveness(toy, done.graph).dead_ends == ()


@given(graphs())
def test_the_components_are_those_of_networkx_without_what_is_skipped(toy):
    graph = explore(toy).graph
    skipped = bytes(action.fault for action in graph.actions)
    links = nx.DiGraph()
    links.add_nodes_from(range(graph.expanded))
    links.add_edges_from(
        (node, target)
        for node in range(graph.expanded)
        for label, target in graph.edges(node)
        if not skipped[label]
    )
    ours = list(components(graph, skipped))
    assert {frozenset(part) for part in ours} == set(map(frozenset, nx.strongly_connected_components(links)))
    assert sorted(node for part in ours for node in part) == list(range(graph.expanded))
    place = {node: number for number, part in enumerate(ours) for node in part}
    assert all(place[target] <= place[node] for node, target in links.edges)


def test_states_that_are_not_expanded_belong_to_none():
    graph = explore(chain(*range(20)), budget=WalkLimits(10)).graph
    assert sorted(node for part in components(graph, bytes(99)) for node in part) == list(
        range(graph.expanded)
    )


def test_a_long_way_round_needs_no_recursion():
    length = 5000
    ring = Toy({n: [(act("on"), (n + 1) % length)] for n in range(length)})
    (whole,) = components(explore(ring).graph, b"\0")
    assert sorted(whole) == list(range(length))


ON, QUOTIENT_BACK, QUOTIENT_OUT = act("on"), act("back"), act("out")


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


def quotient_judged(model, symmetry):
    done = explore(model, symmetry=symmetry)
    live = judge_liveness(Reduced(model, symmetry), done.graph)
    return len(live.livelocks), len(live.dead_ends), live.hopeless, live.undecided


@given(graphs(states_max=4), st.integers(1, 3))
def test_verdicts_are_those_of_unfolded_components(toy, count):
    alone = {state: [(a, t) for a, t in arrows] for state, arrows in toy.arrows.items()}
    model = Clients(alone, toy.good, count)
    assert quotient_judged(model, InOrder()) == quotient_judged(model, in_order)


def component_of(model):
    """The reduced walk of a model, and the states of it that are not converged."""
    reduced = Reduced(model, InOrder())
    graph = explore(model, symmetry=InOrder()).graph
    return reduced, graph, {n for n, state in enumerate(graph.states) if not model.converged(state)}


def test_a_way_out_that_all_have_and_one_refuses_ends_it():
    model = Clients(
        {0: [(ON, 1), (QUOTIENT_OUT, 2)], 1: [(QUOTIENT_BACK, 0), (QUOTIENT_OUT, 2)]}, frozenset({2}), count=3
    )
    reduced, graph, _ = component_of(model)
    going_round = {n for n, state in enumerate(graph.states) if 2 not in state}
    assert len(going_round) == 4
    assert ends_by_fairness(reduced, graph, going_round)


def test_who_refuses_is_followed_from_one_representative_to_the_next():
    """One client goes round, which puts it before the other or behind; the other could go out all the time."""

    class Round(Clients):
        def initial(self):
            return [(0, 1)]

    model = Round({0: [(ON, 3)], 1: [(QUOTIENT_OUT, 2)], 3: [(QUOTIENT_BACK, 0)]}, frozenset({2}), count=2)
    reduced, graph, _ = component_of(model)
    going_round = {n for n, state in enumerate(graph.states) if 2 not in state}
    assert {graph.states[n] for n in going_round} == {(0, 1), (1, 3)}
    assert ends_by_fairness(reduced, graph, going_round)


def test_what_is_left_to_another_each_time_is_refused_by_nobody():
    """One representative in which somebody may beg: but by turns that is everybody."""
    reduced, graph, going_round = component_of(Begging({}, frozenset({2}), 2))
    assert len(going_round) == 1
    assert not ends_by_fairness(reduced, graph, going_round)
    assert quotient_judged(reduced.full, InOrder()) == (1, 0, 0, 0)


def test_a_component_of_many_states_is_not_unfolded_to_be_excused():
    model = Clients(
        {0: [(ON, 1), (QUOTIENT_OUT, 2)], 1: [(QUOTIENT_BACK, 0), (QUOTIENT_OUT, 2)]}, frozenset({2}), count=3
    )
    done = explore(model, symmetry=InOrder())
    live = judge_liveness(Reduced(model, InOrder()), done.graph, unfolded_max=2)
    assert (live.livelocks, live.undecided) == ((), 0)


def test_a_symmetry_that_tells_no_renamings_excuses_nothing():
    model = Clients(
        {0: [(ON, 1), (QUOTIENT_OUT, 2)], 1: [(QUOTIENT_BACK, 0), (QUOTIENT_OUT, 2)]}, frozenset({2}), count=2
    )
    graph = explore(model, symmetry=in_order).graph
    assert not ends_by_fairness(Reduced(model, in_order), graph, {0, 1})

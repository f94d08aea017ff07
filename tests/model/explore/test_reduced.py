"""A symmetry makes states fewer and no difference: same verdicts, same distances, traces that are runs."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.liveness import judge_liveness
from kassay.model.explore.reduced import Reduced
from kassay.model.explore.search import explore
from kassay.model.explore.traces import retrace
from kassay.model.explore.values import Finding, Invariant, Severity
from kassay.model.verdict import Verdict
from tests.model.explore.toys import Clients, act, graphs, in_order, renamings

ON, BACK = act("on"), act("back")


def both(toy, invariants=()):
    return explore(toy, invariants), explore(toy, invariants, symmetry=in_order)


def clients(toy, count=2):
    """The drawn graph as the life of each of some clients."""
    alone = {state: [(a, t) for a, t in arrows] for state, arrows in toy.arrows.items()}
    return Clients(alone, toy.good, count)


def crowded(state):
    """Two clients in one odd place; tells which."""
    for c, place in enumerate(state):
        for d in range(c):
            if place % 2 and state[d] == place:
                yield Finding(Severity.REAL, f"c{d + 1} and c{c + 1}")


CROWDED = Invariant("crowded", "", crowded)
JUMP = Invariant(
    "jump",
    "",
    check_step=lambda a, b: [
        Finding(Severity.REAL, f"c{c + 1}") for c, (old, new) in enumerate(zip(a, b)) if new > old + 1
    ],
)


@given(graphs(states_max=4), st.integers(1, 3))
def test_one_state_of_each_class_is_walked(toy, count):
    full, reduced = both(clients(toy, count))
    assert {in_order(state) for state in full.graph.states} == set(reduced.graph.states)
    assert {s: full.graph.depths[n] for n, s in enumerate(full.graph.states) if s == in_order(s)} == {
        s: reduced.graph.depths[n] for n, s in enumerate(reduced.graph.states)
    }


@given(graphs(states_max=4), st.integers(1, 3))
def test_full_and_reduced_verdicts_agree(toy, count):
    full, reduced = both(clients(toy, count), [CROWDED, JUMP])
    assert full.verdict is reduced.verdict
    assert bool(full.liveness.livelocks) == bool(reduced.liveness.livelocks)
    assert bool(full.liveness.dead_ends) == bool(reduced.liveness.dead_ends)
    assert bool(full.liveness.hopeless) == bool(reduced.liveness.hopeless)
    assert {(v.invariant, v.length) for v in full.violations} == {
        (v.invariant, v.length) for v in reduced.violations
    }


@given(graphs(states_max=4))
def test_traces_of_a_reduced_walk_are_runs_of_the_full_model(toy):
    model = clients(toy, 3)
    found = explore(model, [CROWDED, JUMP], symmetry=in_order)
    for trace in [v.trace for v in found.violations] + [s.trace for s in found.liveness.livelocks]:
        assert trace[0].state in model.initial()
        for before, step in pairwise(trace):
            assert (step.action, step.state) in model.steps(before.state)
    for violation in found.violations:
        last = violation.trace[-1].state
        ways = (
            crowded(last)
            if violation.invariant == "crowded"
            else JUMP.check_step(violation.trace[-2].state, last)
        )
        assert violation.message in {finding.message for finding in ways}, "told in the names of the trace"


def test_retrace_follows_the_classes():
    model = Clients({0: [(ON, 1)], 1: [(ON, 2)]}, frozenset({2}))
    done = explore(model, symmetry=in_order)
    trace = retrace(Reduced(model, in_order), done.graph, done.states - 1)
    assert trace[-1].state == (2, 2, 2)
    assert len(trace) == 7


def test_a_cycle_that_only_one_clients_fairness_excuses_is_excused():
    """Each may go round for ever only if it ignores its own way out, which is fair; the crowd's sum may not."""
    way_out = act("out")
    model = Clients({0: [(ON, 1), (way_out, 2)], 1: [(BACK, 0), (way_out, 2)]}, frozenset({2}), count=2)
    full, reduced = both(model)
    assert (full.verdict, reduced.verdict) == (Verdict.HOLDS, Verdict.HOLDS)


def test_taking_turns_is_a_livelock_though_it_looks_like_standing_still():
    """c1 hands the token to c2 and back: in the reduced graph one state with a step to itself."""

    class Token(Clients):
        def initial(self):
            return [(0, 1)]

        def steps(self, state):
            return [(act("hands over", f"c{state.index(1) + 1}"), state[::-1])]

    full, reduced = both(Token({}, count=2))
    assert len(full.liveness.livelocks) == 1
    assert (reduced.states, len(reduced.liveness.livelocks), len(reduced.liveness.dead_ends)) == (1, 1, 0)
    assert len(reduced.liveness.livelocks[0].cycle) == 2


def test_a_component_too_large_to_unfold_is_undecided_and_no_pass():
    way_out = act("out")
    model = Clients({0: [(ON, 1), (way_out, 2)], 1: [(BACK, 0), (way_out, 2)]}, frozenset({2}), count=3)
    done = explore(model, symmetry=in_order)
    live = judge_liveness(Reduced(model, in_order), done.graph, unfolded_max=2)
    assert live.undecided > 0
    assert type(done)(done.graph, (), live, None, 0.0).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("state", [(0, 1, 2), (1, 1, 0)])
def test_the_toys_symmetry_is_one(state):
    assert {in_order(other) for other in renamings(state)} == {in_order(state)}

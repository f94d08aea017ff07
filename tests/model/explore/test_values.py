"""What a walk gives: an invariant's findings in their order, and the verdict over everything that was found.

The flat graph of a walk: its paths are walks of the model, its edges the model's steps.

A symmetry makes states fewer and no difference: same verdicts, same distances, traces that are runs.

Runs: actions played by hand, and the way to every state of a walk.
"""

from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.engines.protocols.explore import build
from kassay.engines.protocols.settings import ExploreSettings
from kassay.model.explore.liveness import judge_liveness
from kassay.model.explore.search import explore
from kassay.model.explore.states import Interned, Interner
from kassay.model.explore.values import (
    RENUMBERED,
    Action,
    Exploration,
    Finding,
    Graph,
    Invariant,
    InvariantViolation,
    Liveness,
    Reduced,
    Severity,
    Stuck,
    WalkLimits,
    WalkStep,
    pick,
    retrace,
    run,
)
from kassay.model.kinds import Verdict
from kassay.model.protocols.faults import parse_faults
from tests.model.explore.toys import Clients, Toy, act, chain, graphs, in_order, renamings

AT_REST = WalkStep(None, 0)
STUCK = Stuck((AT_REST,), 1)


def finding(text):
    return Finding(Severity.REAL, text)


def test_an_invariant_says_what_is_wrong_with_the_state_and_then_with_the_step():
    invariant = Invariant(
        "grows",
        "never falls",
        check=lambda state: [finding(f"at {state}")] if state < 0 else [],
        check_step=lambda before, after: [finding(f"{before} to {after}")] if after < before else [],
        relevant=lambda before, after: before != 9,
    )
    assert list(invariant.judge(3, -1)) == [finding("at -1"), finding("3 to -1")]
    assert list(invariant.judge(None, -1)) == [finding("at -1")]
    assert list(invariant.judge(9, 2)) == [], "no look at both ends lets it"
    assert list(invariant.judge(1, 2)) == []


def test_an_invariant_of_one_sort_says_nothing_of_the_other():
    assert list(Invariant("s", "", check=lambda state: [finding("s")]).judge(1, 2)) == [finding("s")]
    steps = Invariant("t", "", check_step=lambda before, after: [finding("t")])
    assert (list(steps.judge(None, 2)), list(steps.judge(1, 2))) == ([], [finding("t")])


def explored(severities, liveness, limit):
    violations = tuple(InvariantViolation("i", "c", s, "m", (AT_REST,), 1) for s in severities)
    return Exploration(Graph(), violations, liveness, limit, 0.0)


EVERY_OUTCOME = product(
    [(), (Severity.ZOMBIE, Severity.BY_DESIGN), (Severity.ZOMBIE, Severity.REAL)],
    [None, Liveness((), (), 0), Liveness((STUCK,), (), 0), Liveness((), (STUCK,), 0), Liveness((), (), 0, 2)],
    [None, "states"],
)


@pytest.mark.parametrize(("severities", "liveness", "limit"), list(EVERY_OUTCOME))
def test_only_a_whole_walk_without_real_findings_holds(severities, liveness, limit):
    verdict = explored(severities, liveness, limit).verdict
    stuck = liveness is not None and bool(liveness.dead_ends or liveness.livelocks)
    if Severity.REAL in severities or stuck:
        assert verdict is Verdict.VIOLATED
    elif liveness == Liveness((), (), 0) and limit is None:
        assert verdict is Verdict.HOLDS
    else:
        assert verdict is Verdict.UNKNOWN


def test_lengths_count_actions():
    assert InvariantViolation("i", "c", Severity.REAL, "m", (AT_REST,) * 4, 1).length == 3
    assert explored((), None, None).diameter == 0


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


@given(graphs())
def test_the_way_to_every_state(toy):
    graph = explore(toy).graph
    for node, state in enumerate(graph.states):
        trace = retrace(toy, graph, node)
        assert trace[-1].state == state
        assert len(trace) - 1 == graph.depths[node]
        assert all((b.action, b.state) in toy.steps(a.state) for a, b in pairwise(trace))


class Restarted(Toy):
    """A toy whose 5 counts as 1, though only 1 leads to 2."""

    def canonical(self, state):
        return 1 if state == 5 else state


@pytest.mark.parametrize("symmetry", [None, lambda state: state])
def test_where_no_run_goes_on_it_does_so_from_the_canonical_state_and_says_so(symmetry):
    toy = Restarted({0: [(act("to 5"), 5)], 1: [(act("to 2"), 2)], 5: [(act("to 7"), 7)]})
    graph = explore(toy, symmetry=symmetry).graph
    trace = retrace(toy if symmetry is None else Reduced(toy, symmetry), graph, graph.states.number(2))
    assert [step.state for step in trace] == [0, 5, 2]
    assert [step.action.name for step in trace[1:]] == ["to 5", "to 2" + RENUMBERED]


def test_a_state_that_nothing_leads_to_is_told():
    toy = chain(0, 1, 2)
    graph = explore(toy).graph
    with pytest.raises(LookupError, match="no step leads from state 1 to 2"):
        retrace(Toy({0: [(act("to 1"), 1)]}), graph, 2)


@pytest.mark.exhaustive
def test_every_state_of_a_walk_with_lost_generations_has_a_way():
    faults = parse_faults("pause=1,failover=1")
    model = build(ExploreSettings("classic", mode="cooperative", members=2, partitions=1, faults=faults))
    graph = explore(model, budget=WalkLimits(None)).graph
    anew = 0
    for node in range(0, len(graph.states), 7):
        trace = retrace(model, graph, node)
        assert graph.states.number(model.canonical(trace[-1].state)) == node
        anew += any(step.action is not None and RENUMBERED in step.action.name for step in trace)
    assert 0 < anew < len(graph.states) // 100


def test_actions_play_by_name_or_by_predicate():
    toy = chain(0, 1, 2, 3)
    trace = run(toy, [act("to 1"), lambda action: action.name == "to 2", act("to 3")])
    assert [step.state for step in trace] == [0, 1, 2, 3]


def test_what_is_not_enabled_is_told_with_what_is():
    toy = Toy({0: [(act("left"), 1), (act("right"), 2)]})
    with pytest.raises(LookupError, match="no enabled action is a: up") as refused:
        pick(toy, 0, act("up"))
    assert "a: left" in str(refused.value)
    assert "a: right" in str(refused.value)


def test_equal_values_have_one_cell_numbered_in_order():
    cells = Interner()
    one, two, again = cells.cell((1, 2)), cells.cell((3,)), cells.cell((1, 2))
    assert one is again
    assert one != two
    assert (one.number, two.number, len(cells)) == (0, 1, 2)
    assert (one.value, repr(one)) == ((1, 2), "(1, 2)")
    assert Interned((1, 2)) != one

"""Runs: actions played by hand, and the way to every state of a walk."""

from itertools import pairwise

import pytest
from hypothesis import given

from kassay.certify.protocols.explore import build
from kassay.certify.protocols.settings import ExploreSettings
from kassay.model.explore.interned import Interned, Interner
from kassay.model.explore.reduced import Reduced
from kassay.model.explore.search import explore
from kassay.model.explore.traces import COUNTED_ANEW, pick, retrace, run
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.shared.faults import parse_faults
from tests.model.explore.toys import Toy, act, chain, graphs


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
    assert [step.action.name for step in trace[1:]] == ["to 5", "to 2" + COUNTED_ANEW]


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
        anew += any(step.action is not None and COUNTED_ANEW in step.action.name for step in trace)
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

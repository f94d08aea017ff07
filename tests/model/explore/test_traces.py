"""Runs: actions played by hand, and the way to every state of a walk."""

from itertools import pairwise

import pytest
from hypothesis import given

from kassay.model.explore.interned import Interned, Interner
from kassay.model.explore.search import explore
from kassay.model.explore.traces import pick, retrace, run
from tests.model.explore.toys import Toy, act, chain, graphs


@given(graphs())
def test_the_way_to_every_state(toy):
    graph = explore(toy).graph
    for node, state in enumerate(graph.states):
        trace = retrace(toy, graph, node)
        assert trace[-1].state == state
        assert len(trace) - 1 == graph.depths[node]
        assert all((b.action, b.state) in toy.steps(a.state) for a, b in pairwise(trace))


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

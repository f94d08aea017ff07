"""The graph of states as it is drawn: every state and step of the walk, the way marked from the start on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.pages.state_graph import STATES_DRAWN_MAX, state_graph
from tests.explored import explore
from tests.hostile import SOME

WALKS = ("zookeeper", "classic")


@SOME
@given(st.sampled_from(WALKS), st.integers(5, 40))
def test_a_walk_of_any_length_is_drawn_whole(model: str, states: int) -> None:
    result = explore(model, states_max=states)
    graph = result.exploration.graph
    drawn = state_graph(result)
    assert drawn is not None
    assert len(drawn.nodes) == len(graph.states) <= STATES_DRAWN_MAX
    pairs = {(a, b) for a in range(graph.expanded) for _, b in graph.edges(a) if a != b}
    assert len(drawn.edges) == len(pairs)
    leads = {(int(row[0]), int(to)) for row in drawn.rows for to in row[2].split() if to != "-"}
    assert leads == pairs
    assert all(edge.look == ("" if edge.y2 > edge.y1 else "back") for edge in drawn.edges)
    assert max(node.y for node in drawn.nodes) < drawn.height


def test_a_run_is_marked_from_the_start_to_its_last_state() -> None:
    result = explore("zookeeper", switches=frozenset({"zk_no_owner_guard"}))
    way = result.exploration.violations[0].trace
    drawn = state_graph(result, way, "trace-1")
    assert drawn is not None
    marked = [node for node in drawn.nodes if node.way]
    assert {node.link for node in marked} == {f"trace-1/step-{number}" for number in range(len(way))}
    assert sum(edge.look == "way" for edge in drawn.edges) == len(way) - 1
    assert [node.link for node in marked if node.bad] == [f"trace-1/step-{len(way) - 1}"]
    assert "marked ✕" in drawn.description

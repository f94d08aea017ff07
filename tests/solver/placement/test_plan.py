from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.placement.plan import Move, Plan
from kassay.solver.placement.plan import plan
from kassay.solver.placement.problem import PlacementProblem
from tests.solver.placement import cases


@st.composite
def problems(draw: st.DrawFn) -> PlacementProblem:
    number, racks = draw(st.integers(1, 9)), draw(st.integers(0, 4))
    rack = st.integers(0, racks - 1).map("r{}".format) if racks else st.none()
    hosts = [{"id": i, "rack": draw(rack), "share": 1} for i in range(number)]
    rf = draw(st.integers(1, min(4, number)))
    row = st.permutations(range(number + 2)).flatmap(
        lambda ids: st.integers(0, min(len(ids), rf + 1)).map(lambda size: list(ids)[:size])
    )
    rows = draw(st.lists(row, min_size=1, max_size=8))
    return PlacementProblem.parse(cases.document(hosts, rows, rf))


def _excess(row: tuple[int, ...], rack: dict[int, str | None], most: int) -> int:
    held = Counter(rack[broker] for broker in row if broker in rack)
    return sum(max(0, count - most) for count in held.values()) if set(rack.values()) != {None} else 0


@settings(max_examples=100, deadline=None)
@given(problems())
def test_every_state_of_a_plan_is_valid(problem: PlacementProblem) -> None:
    found = cases.certified(problem)
    before = {tp: row for tp, _, row in problem.partitions()}
    after = dict(zip(before, found.rows, strict=True))
    rack = {broker.id: broker.rack for broker in problem.brokers}
    moves = Plan((), tuple(before.items()), plan(before, after, rack))
    state = dict(before)
    most = problem.spread(problem.topics[0].rf).most
    copied = sum(len(row) for tp, row in after.items() if not before[tp])
    for move, had, has in moves.states():
        assert move.source is None or move.source in had
        assert move.target is None or move.target not in had
        assert len(set(has)) == len(has)
        assert _excess(has, rack, most) <= _excess(had, rack, most)
        state[move.partition] = has
        copied += move.target is not None
    assert {tp: row for tp, row in state.items() if before[tp]} == {
        tp: row for tp, row in after.items() if before[tp]
    }
    assert copied == found.copies


def test_a_change_of_leader_alone_copies_nothing() -> None:
    tp = TopicPartition("t", 0)
    assert plan({tp: (1, 2)}, {tp: (2, 1)}, {1: None, 2: None}) == (Move(tp, order=(2, 1)),)


def test_replicas_change_inside_their_rack_first() -> None:
    tp = TopicPartition("t", 0)
    racks = {1: "a", 2: "b", 3: "b", 4: "a"}
    moves = plan({tp: (1, 2)}, {tp: (3, 4)}, racks)
    assert [(move.source, move.target) for move in moves[:2]] == [(1, 4), (2, 3)]
    states = Plan((), ((tp, (1, 2)),), moves).states()
    assert [moved.after for moved in states] == [(4, 2), (4, 3), (3, 4)]

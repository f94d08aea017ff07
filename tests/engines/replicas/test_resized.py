"""The moves of a partition whose replication factor changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.replicas.judge import rack_breaks
from kassay.engines.replicas.resized import resizing_moves
from kassay.model.cluster import TopicPartition
from tests.engines.replicas.clusters import cluster

T0 = TopicPartition("t", 0)
rows = st.permutations(range(1, 7)).flatmap(lambda ids: st.integers(1, 6).map(lambda rf: tuple(ids[:rf])))


@given(before=rows, after=rows, racks=st.lists(st.sampled_from("abc"), min_size=6, max_size=6))
def test_moves_reach_the_row_and_never_leave_the_range(
    before: tuple[int, ...], after: tuple[int, ...], racks: list[str]
) -> None:
    target = cluster({"t": [before]}, dict(enumerate(racks, start=1)))
    moves = resizing_moves(target, T0, before, after)
    if rack_breaks(target, {T0: after}) or moves is None:
        return
    row, low, high = before, *sorted((len(before), len(after)))
    for move in moves:
        held = not rack_breaks(target, {T0: row})
        row = move.exchanged(row) if move.order is None else move.order
        assert low <= len(row) == len(set(row)) <= high
        assert not (held and rack_breaks(target, {T0: row}))
    assert row == after
    assert sum(move.target is not None for move in moves) == len(set(after) - set(before))


def test_a_way_is_found_where_the_shortest_order_loses_the_rack_rule() -> None:
    target = cluster({"t": [(1, 2)]}, {1: "a", 2: "b", 3: "c", 4: "a"})
    moves = resizing_moves(target, T0, (1, 2), (3, 4, 2))
    assert moves is not None and len(moves) >= 2

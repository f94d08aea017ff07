"""Two members part their items anew: as well as trying every set of them."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from kassay.solver.algorithms.subset_sums import Piece, Shares, nearest, too_much

PIECES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 3)), max_size=6).map(
    lambda rows: [Piece(item, *row) for item, row in enumerate(rows)]
)


def every(pieces: list[Piece]) -> set[tuple[int, int]]:
    """(moves, sum) of every set that the first may get; what nobody can save is no move."""
    values = set()
    for size in range(len(pieces) + 1):
        for mine in combinations(pieces, size):
            moves = sum(p.first if p in mine else p.second for p in pieces)
            values.add((moves - sum(min(p.first, p.second) for p in pieces), sum(p.weight for p in mine)))
    return values


@given(PIECES, st.integers(-3, 20), st.integers(-3, 30))
def test_the_fewest_moves_and_the_evenest_sum(pieces: list[Piece], least: int, most: int) -> None:
    shares = Shares(pieces)
    able = [value for value in every(pieces) if least <= value[1] <= most]
    middle = (least + most) // 2
    few = min(able, key=lambda value: (value[0], abs(value[1] - middle), value[1]), default=None)
    even = min(able, key=lambda value: (abs(value[1] - middle), value[1], value[0]), default=None)
    assert shares.fewest(least, most) == few
    assert shares.evenest(middle, least, most) == even
    for share in (few, even):
        if share is not None:
            items = shares.items_of(*share)
            mine = [p for p in pieces if p.item in items]
            extra = sum(p.first if p in mine else p.second for p in pieces)
            extra -= sum(min(p.first, p.second) for p in pieces)
            assert (extra, sum(p.weight for p in mine)) == share


@given(st.sets(st.integers(0, 20)), st.integers(-2, 22), st.integers(-2, 22), st.integers(-5, 30))
def test_the_nearest_sum_in_range(sums: set[int], least: int, most: int, goal: int) -> None:
    able = [n for n in sums if least <= n <= most]
    inside = min(max(goal, least, 0), max(most, 0))
    expected = min(able, key=lambda n: (abs(n - inside), n), default=None)
    assert nearest(sum(1 << n for n in sums), least, most, goal) == expected


def test_great_weights_and_long_lists_are_refused() -> None:
    assert not too_much([Piece(i, 10, 0, 1) for i in range(20)])
    assert too_much([Piece(0, 1 << 27, 0, 1), Piece(1, 1, 1, 0)])
    assert too_much([Piece(i, 100, 0, 1) for i in range(200)])

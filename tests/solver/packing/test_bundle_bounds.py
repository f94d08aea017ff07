"""What sizes alone say about the balance of bundles, beside every way to share them."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from kassay.solver.packing.bundle_bounds import grain_bound, load_fits, range_of_loads


def test_pairs_cannot_be_shared_as_singles_can() -> None:
    assert grain_bound([2, 2, 2], 2, 2) == 20
    assert grain_bound([2, 2, 1], 3, 2) == 9
    assert grain_bound([1, 1, 1, 1], 2, 2) == 8
    assert grain_bound([2], 1, 2) == 4


def shared(sizes: list[int], members: int) -> set[tuple[int, ...]]:
    """The loads of every way to share."""
    ways = itertools.product(range(members), repeat=len(sizes))
    return {
        tuple(sum(size for size, m in zip(sizes, way, strict=True) if m == own) for own in range(members))
        for way in ways
    }


def squares(loads: tuple[int, ...]) -> int:
    """The sum of squared loads."""
    return sum(load * load for load in loads)


@given(st.lists(st.integers(1, 5), max_size=5), st.integers(1, 3), st.integers(2, 5))
def test_no_way_to_share_is_below_the_bound(sizes: list[int], members: int, grain: int) -> None:
    assert grain_bound(sizes, members, grain) <= min(map(squares, shared(sizes, members)))


@given(st.integers(1, 4), st.integers(0, 6), st.integers(1, 4))
def test_equal_bundles_are_bounded_by_what_can_be_had(size: int, number: int, members: int) -> None:
    best = min(map(squares, shared([size] * number, members)))
    assert grain_bound([size] * number, members, size) == best


@given(st.lists(st.integers(0, 6), min_size=1, max_size=4))
def test_the_range_of_loads_is_what_any_no_worse_sharing_has(loads: list[int]) -> None:
    total, members, worst = sum(loads), len(loads), squares(tuple(loads))
    splits = (split for split in itertools.product(range(total + 1), repeat=members) if sum(split) == total)
    carried = {load for split in splits if squares(split) <= worst for load in split}
    assert range_of_loads(loads) == (min(carried), max(carried))
    assert {load for load in range(total + 2) if load_fits(load, total, members, worst)} == carried

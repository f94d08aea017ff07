"""Good packings: no worse than the first one, and the books are kept while items change hands.

Two members part their items anew: as well as trying every set of them.

Few moves under a limit: mostly as few as any packing within it has.
"""

from __future__ import annotations

import random
import time
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.solver.packing.items import Packing
from kassay.solver.packing.search import (
    PackingSearch,
    Piece,
    Shares,
    at_home,
    few_of_each,
    longest_first,
    nearest,
    shed,
    too_much,
)
from tests.solver.packing import cases


def _is_kept(state: PackingSearch) -> bool:
    """Whether loads and items by member are those of the owners, and everybody may have what it has."""
    members = range(state.packing.members)
    held = [{i for i, member in enumerate(state.owner) if member == m} for m in members]
    items = zip(state.packing.items, state.owner, strict=True)
    return (
        state.loads == state.packing.loads(state.owner)
        and state.held == held
        and all(member in item.able for item, member in items)
    )


@pytest.mark.parametrize("great", [1, 10**8], ids=["by subset sums", "by moves and swaps"])
def test_no_step_of_the_search_makes_worse_what_it_is_to_better(great: int) -> None:
    rng = random.Random(6)
    late = time.monotonic() + 60
    for _ in range(60):
        case = cases.weighted(rng)
        for topic in case["topics"]:
            topic["weights"] = [weight * great for weight in topic["weights"]]
        packing, owner = cases.packed(rng, case)
        if not packing.items:
            continue
        state = PackingSearch(packing, owner)
        top = state.heaviest()
        state.relieve(0, late)
        assert _is_kept(state)
        assert state.heaviest() <= top
        top, moved = state.heaviest(), packing.moved(state.owner)
        state.go_home(top, late)
        assert _is_kept(state)
        assert state.heaviest() <= top
        assert packing.moved(state.owner) <= moved
        ranked = sorted(state.loads, reverse=True)
        state.even_out(late)
        assert _is_kept(state)
        assert sorted(state.loads, reverse=True) <= ranked
        ranked, moved = sorted(state.loads, reverse=True), packing.moved(state.owner)
        state.go_home(None, late)
        assert _is_kept(state)
        assert sorted(state.loads, reverse=True) <= ranked
        assert packing.moved(state.owner) <= moved


def test_relief_within_a_budget_keeps_it_and_makes_the_loads_no_worse() -> None:
    rng = random.Random(16)
    late = time.monotonic() + 60
    relieved = 0
    for _ in range(80):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        state = PackingSearch(packing, longest_first(packing, at_home(packing)))
        before, paid = sorted(state.loads, reverse=True), packing.moved(state.owner)
        budget = paid + rng.choice((0, 1, 3, 100))
        state.relieve_within(budget, late)
        assert packing.moved(state.owner) <= budget
        assert sorted(state.loads, reverse=True) <= before
        relieved += sorted(state.loads, reverse=True) < before
    assert relieved > 10


def test_longest_first_gives_each_item_to_the_lightest_and_keeps_who_has_one() -> None:
    rng = random.Random(7)
    for _ in range(60):
        packing, _ = cases.packed(rng, cases.weighted(rng))
        home = at_home(packing)
        owner = longest_first(packing, home)
        assert all(here in (None, there) for here, there in zip(home, owner, strict=True))
        loads = packing.loads([m or 0 for m in home])
        for item, m in zip(packing.items, home, strict=True):
            loads[0] -= item.weight if m is None else 0
        order = sorted(
            (i for i, m in enumerate(home) if m is None),
            key=lambda i: (-packing.weights[i], len(packing.items[i].able), i),
        )
        for i in order:
            assert loads[owner[i]] == min(loads[m] for m in packing.items[i].able)
            loads[owner[i]] += packing.weights[i]


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


def test_the_limit_is_kept_with_the_fewest_moves_in_most_cases() -> None:
    rng = random.Random(13)
    late = time.monotonic() + 60
    met = 0
    for _ in range(120):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        every = cases.values(case)
        limit = rng.choice(every)[0][0]
        least = min(moves for loads, moves, _ in every if loads[0] <= limit)
        owner = shed(packing, limit, late)
        assert all(member in item.able for item, member in zip(packing.items, owner, strict=True))
        met += max(packing.loads(owner)) <= limit and packing.moved(owner) == least
    assert met > 80


def test_the_largest_leave_first_and_no_more_than_must() -> None:
    case = cases.one_topic([9, 5, 4, 2, 1], 2)
    case["members"][0]["owned"] = [["t", p] for p in range(5)]
    packing = Packing.of(cases.Problem.parse(case))
    owner = shed(packing, 16, time.monotonic() + 60)
    assert packing.moved(owner) == 1
    assert packing.loads(owner) == [16, 5]


def test_of_too_many_items_some_of_each_sort_take_part() -> None:
    pieces = [Piece(i, 100 + i % 5, 0, 1) for i in range(200)]
    few = few_of_each(pieces, [i % 2 for i in range(200)])
    assert not too_much(few)
    assert {(p.weight, p.item % 2) for p in few} == {(p.weight, p.item % 2) for p in pieces}
    assert few_of_each(pieces[:9], [0] * 9) == pieces[:9]
    assert not few_of_each([Piece(0, 1 << 27, 0, 1), Piece(1, 1, 1, 0)], [0, 0])

"""The exchange graph: the cheapest picks of all, with prices that prove it, and the bits that it works on."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.solver.algorithms.exchange import Exchange, Rules, cheapest, masks

PLACES = 4
PRICES = st.lists(
    st.dictionaries(st.integers(0, PLACES - 1), st.integers(0, 3), min_size=2), min_size=1, max_size=3
)


def convex(step: int, base: list[int], place: int, count: int) -> int:
    """What the next unit costs where the cost of a place is `step` times its squared load."""
    return step * (2 * (base[place] + count) + 1)


def paid(picks: list[tuple[int, ...]], prices: list[dict[int, int]], step: int, base: list[int]) -> int:
    """The picks and the places together."""
    counts = Counter(place for row in picks for place in row)
    return sum(price[place] for row, price in zip(picks, prices, strict=True) for place in row) + sum(
        convex(step, base, place, count) for place in range(PLACES) for count in range(counts[place])
    )


@settings(max_examples=50)
@given(PRICES, st.integers(1, 2), st.integers(0, 2), st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_no_picks_are_cheaper_and_the_prices_prove_it(
    prices: list[dict[int, int]], picks: int, step: int, base: list[int]
) -> None:
    graph = cheapest(PLACES, prices, picks, lambda place, count: convex(step, base, place, count))
    rows = [tuple(sorted(row)) for row in graph.picks]
    choices = [list(combinations(sorted(price), picks)) for price in prices]
    assert all(row in able for row, able in zip(rows, choices, strict=True))
    assert graph.counts == [sum(place in row for row in rows) for place in range(PLACES)]
    best = min(paid(list(way), prices, step, base) for way in product(*choices))
    assert paid(rows, prices, step, base) == best
    charged = graph.prices(lambda place, count: convex(step, base, place, count))
    for row, price, able in zip(rows, prices, choices, strict=True):
        asked = {other: sum(price[place] + charged[place] for place in other) for other in able}
        assert asked[row] == min(asked.values())
    for place, count in enumerate(graph.counts):
        assert charged[place] <= convex(step, base, place, count)
        assert not count or convex(step, base, place, count - 1) <= charged[place]


NAMED = st.dictionaries(st.integers(0, PLACES - 1), st.none() | st.integers(0, 3), max_size=2)


@given(
    st.lists(st.tuples(NAMED, st.integers(0, 3)), max_size=4),
    st.integers(1, 2),
    st.integers(0, 2),
    st.sampled_from([None, -1.0]),
)
def test_a_price_elsewhere_is_that_of_every_place_that_has_none_of_its_own(
    rows: list[tuple[dict[int, int | None], int]], picks: int, step: int, deadline: float | None
) -> None:
    def marginal(place: int, count: int) -> int:
        return convex(step, [1, 0, 2, 0], place, count)

    whole = [{b: row.get(b, other) for b in range(PLACES)} for row, other in rows]
    plain = cheapest(PLACES, whole, picks, marginal, deadline)
    short = cheapest(
        PLACES, [row for row, _ in rows], picks, marginal, deadline, [other for _, other in rows]
    )
    assert (short.picks, short.late) == (plain.picks, plain.late) == (plain.picks, deadline is not None)
    assert short.late or short.prices(marginal) == plain.prices(marginal)


def test_after_the_deadline_the_picks_are_those_of_the_start() -> None:
    graph = Exchange(Rules([3] * 2, [0], [[3] * 2]), [{0}, {0}], deadline=-1.0)
    graph.descend(lambda _, count: count)
    assert graph.late
    assert (graph.picks, graph.counts) == ([{0}, {0}], [2, 0])


@given(st.lists(st.sets(st.integers(0, PLACES - 1)), max_size=20))
def test_masks_turn_rows_into_columns(sets: list[set[int]]) -> None:
    columns = masks(PLACES, sets)
    assert [{place for place in range(PLACES) if columns[place] >> i & 1} for i in range(len(sets))] == sets
    assert all(column < 1 << len(sets) for column in columns)


def test_racks_keep_their_least_and_most() -> None:
    """Two picks in two racks of two places: one in each, whatever it costs."""
    rules = Rules([3] * 4, [0], [[3] * 4], racks=[0, 0, 1, 1], least=[1, 1], most=[1, 1])
    graph = Exchange(rules, [{0, 2}, {0, 2}])
    costs = [9, 0, 9, 9]
    graph.descend(lambda place, count: costs[place] * (count + 1))
    assert [{place // 2 for place in row} for row in graph.picks] == [{0, 1}, {0, 1}]
    assert graph.counts == [0, 2, 1, 1]


def test_reaching_and_reachable_are_two_sides_of_one_way() -> None:
    graph = Exchange(Rules([1, 3, 2], [0], [[1, 3, 2]]), [{0}, {1}])
    for a, b in product(range(3), repeat=2):
        assert (b in graph.reachable([a])) == (a in graph.reaching([b]))
    assert graph.reachable([0]) == {0, 1, 2}
    assert graph.reachable([2]) == {2}

"""The levels hold for every assignment with the best balance, and for no other.

Even picks against every way to pick, and what a spent deadline makes of them.
"""

from __future__ import annotations

import time
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.solver.algorithms.levels import even_picks, level_numbers, leveled, levels

MEMBERS = 3
GROUPS = st.lists(
    st.tuples(
        st.sets(st.integers(0, MEMBERS - 1), min_size=1).map(lambda able: tuple(sorted(able))),
        st.integers(0, 2),
    ),
    max_size=3,
)


def every(groups: list[tuple[tuple[int, ...], int]]) -> list[tuple[list[tuple[int, int]], tuple[int, ...]]]:
    """Every way to give out the units: (set, member) a unit, and the loads."""
    units = [s for s, (_, count) in enumerate(groups) for _ in range(count)]
    ways = product(*(groups[s][0] for s in units))
    return [(list(zip(units, way, strict=True)), tuple(way.count(m) for m in range(MEMBERS))) for way in ways]


@settings(max_examples=50)
@given(GROUPS)
def test_the_best_balance_is_what_the_levels_describe(groups: list[tuple[tuple[int, ...], int]]) -> None:
    sets, counts = [able for able, _ in groups], [count for _, count in groups]
    described = levels(MEMBERS, sets, counts)
    assert sorted(m for level in described for m in level.members) == list(range(MEMBERS))
    assert [level.low + (level.high > 0) for level in described] == sorted(
        (level.low + (level.high > 0) for level in described), reverse=True
    )
    number = level_numbers(described, MEMBERS)
    last = [max(number[m] for m in able) for able in sets]
    ways = every(groups)
    best = min(sum(load * load for load in loads) for _, loads in ways)
    for way, loads in ways:
        in_place = all(number[m] == last[s] for s, m in way)
        shared = all(
            sorted(loads[m] - level.low for m in level.members)
            == [0] * (len(level.members) - level.high) + [1] * level.high
            for level in described
        )
        assert (in_place and shared) == (sum(load * load for load in loads) == best)


def test_nobody_has_no_levels() -> None:
    assert levels(0, [], []) == []


@settings(max_examples=200)
@given(GROUPS)
def test_the_levels_come_with_an_assignment_that_has_their_balance(
    groups: list[tuple[tuple[int, ...], int]],
) -> None:
    sets, counts = [able for able, _ in groups], [count for _, count in groups]
    described, holds = leveled(MEMBERS, sets, counts)
    number = level_numbers(described, MEMBERS)
    for s, able in enumerate(sets):
        last = max(number[m] for m in able)
        assert sum(own.get(s, 0) for own in holds) == counts[s]
        assert all(m in able and number[m] == last for m, own in enumerate(holds) if own.get(s))
    for level in described:
        loads = sorted(sum(holds[m].values()) for m in level.members)
        assert loads == [level.low] * (len(level.members) - level.high) + [level.low + 1] * level.high


PLACES = 4
ITEM = st.tuples(
    st.sets(st.integers(0, PLACES - 1), min_size=1, max_size=3), st.none() | st.integers(0, PLACES - 1)
)


def worth(way: tuple[int, ...], homes: list[int | None]) -> tuple[list[int], int]:
    """The counts, largest first, and how many items with a home among their choices are not there."""
    return (
        sorted((way.count(place) for place in range(PLACES)), reverse=True),
        sum(place != home for place, home in zip(way, homes, strict=True) if home is not None),
    )


@settings(max_examples=150)
@given(st.lists(ITEM, max_size=5))
def test_no_other_picks_are_more_even_or_as_even_and_nearer_home(
    items: list[tuple[set[int], int | None]],
) -> None:
    choices = [choice for choice, _ in items]
    homes = [home if home in choice else None for choice, home in items]
    picks = even_picks(PLACES, choices, [home for _, home in items])
    assert picks is not None
    assert all(place in choice for place, choice in zip(picks, choices, strict=True))
    assert worth(tuple(picks), homes) == min(worth(way, homes) for way in product(*choices))


def test_after_the_deadline_there_are_none() -> None:
    assert even_picks(2, [{0, 1}], [None], time.monotonic() - 1) is None
    assert even_picks(2, [{0, 1}], [1], time.monotonic() + 600) == [1]

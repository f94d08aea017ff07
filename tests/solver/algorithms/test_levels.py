"""The levels hold for every assignment with the best balance, and for no other."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.solver.algorithms.levels import level_numbers, leveled, levels

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

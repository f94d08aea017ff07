"""Even picks against every way to pick, and what a spent deadline makes of them."""

from __future__ import annotations

import time
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.solver.algorithms.even_picks import even_picks

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

"""Ranges of offsets that were read."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.live.claims.progress import merged

RANGES = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 5)).map(lambda p: (p[0], p[0] + p[1])), max_size=6
)


@given(RANGES)
def test_merged_ranges_hold_the_same_offsets_apart_and_in_order(ranges):
    whole = merged(ranges)
    offsets = lambda all_of: {o for first, last in all_of for o in range(first, last + 1)}  # noqa: E731
    assert offsets(whole) == offsets(ranges)
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(whole))

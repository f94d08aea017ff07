"""The cost of a place is its squared distance from its share, unit by unit."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from kassay.solver.algorithms.convex import Quota

SHARES = st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any)


@given(SHARES, st.integers(0, 12), st.integers(1, 5), st.integers(0, 3), st.integers(0, 8))
def test_units_add_up_to_the_distance_from_the_share(
    shares: list[int], total: int, weight: int, base: int, count: int
) -> None:
    quota = Quota(shares, total, weight, [base] * len(shares), [None] * len(shares))
    for place, share in enumerate(shares):
        wanted = Fraction(total * share, sum(shares))

        def away(held: int, wanted: Fraction = wanted) -> Fraction:
            return weight * sum(shares) * (held - wanted) ** 2

        spent = sum(quota.marginal(place, n) for n in range(count))
        assert spent == quota.cost(place, count) == away(base + count) - away(base)
        assert quota.floor(place) <= wanted <= quota.ceiling(place)
        assert quota.ceiling(place) - quota.floor(place) == (wanted.denominator != 1)


@given(SHARES, st.integers(1, 12), st.integers(0, 4))
def test_a_unit_beyond_the_room_costs_more_than_any_balance(shares: list[int], total: int, room: int) -> None:
    quota = Quota(shares, total, 1, [1] * len(shares), [room] * len(shares))
    plain = Quota(shares, total, 1, [1] * len(shares), [None] * len(shares))
    whole = max(
        sum(plain.marginal(place, n) for n in range(total))
        - sum(plain.marginal(other, n) for n in range(total))
        for place in range(len(shares))
        for other in range(len(shares))
    )
    for place in range(len(shares)):
        for count in range(total):
            beyond = quota.marginal(place, count) - plain.marginal(place, count)
            assert (beyond > whole) if 1 + count >= room else (beyond == 0)


def test_a_plain_quota_has_room_for_all() -> None:
    assert Quota.plain([2, 1], 9, 4) == Quota([2, 1], 9, 4, [0, 0], [None, None])


@given(SHARES, st.integers(0, 12), st.integers(1, 3))
def test_the_level_price_is_that_of_the_last_unit_beyond_the_shares(
    shares: list[int], total: int, weight: int
) -> None:
    """At this price as many places take one more as there are units left, and no more are forced to."""
    quota = Quota(shares, total, weight, [0] * len(shares), [None] * len(shares))
    whole = [quota.floor(place) for place in range(len(shares))]
    left = total - sum(whole)
    following = [quota.marginal(place, count) for place, count in enumerate(whole)]
    price = quota.level_price()
    if not left:
        assert price == 0
    else:
        assert sum(each < price for each in following) < left <= sum(each <= price for each in following)

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


@given(
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(0, 12),
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 8), st.none() | st.integers(0, 9)), min_size=4, max_size=4
    ),
)
def test_steps_of_equal_shares_order_counts_as_their_costs_do(
    share: int, places: int, total: int, held: list[tuple[int, int, int | None]]
) -> None:
    """A step is the cost without the factor that all share and without the constant that all share."""
    base, counts, room = (list(each) for each in zip(*held[:places], strict=True))
    quota = Quota([share] * places, total, 7, base, room)
    for place, count in enumerate(counts):
        constant = quota.weight * 2 * quota.total * share
        assert quota.marginal(place, count) == quota.step(place, count) * quota.scale - constant


@given(SHARES, st.integers(0, 12), st.integers(0, 8))
def test_steps_of_unequal_shares_are_their_costs(shares: list[int], total: int, count: int) -> None:
    quota = Quota.plain(shares, total, 7)
    if len({*shares}) > 1:
        assert all(quota.step(n, count) == quota.marginal(n, count) for n in range(len(shares)))


def test_steps_of_a_large_cluster_fit_64_bits_where_its_costs_do_not() -> None:
    total, nodes = 300_000, 300_000
    quota = Quota.plain([1] * 1_000, total, (total + 1) * 100_003)
    assert quota.step(0, 310) - quota.step(0, 290) < (1 << 62) // nodes
    assert quota.marginal(0, 310) - quota.marginal(0, 290) > (1 << 62) // nodes

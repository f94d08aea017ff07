"""Ids and Java's hash tables; the expected values follow from the Javadoc of `Uuid` and `HashMap`."""

import uuid
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.java import (
    INT_MIN,
    POSITIVE_INTS,
    JavaRandom,
    Recorded,
    bucket_order,
    computed_order,
    remainder,
    shuffle,
    to_positive,
    utils_abs,
    uuid_halves,
    uuid_hash,
    wrap,
)


@given(st.uuids())
def test_the_halves_are_the_signed_parts_of_the_number(found: uuid.UUID):
    most, least = uuid_halves(found.bytes)
    assert ((most % 2**64) << 64) + least % 2**64 == found.int
    assert all(-(2**63) <= half < 2**63 for half in (most, least))


def test_the_hash_mixes_all_four_words():
    assert uuid_hash(uuid_halves(uuid.UUID("00000001-0000-0002-0000-000400000008").bytes)) == 1 ^ 2 ^ 4 ^ 8
    assert uuid_hash((-1, 0)) == 0


@given(st.lists(st.integers(0, 11), unique=True))
def test_small_numbers_iterate_in_order(numbers: list[int]):
    assert bucket_order(numbers, int) == sorted(numbers)


def test_collisions_keep_the_order_of_insertion_and_the_table_grows_with_the_size():
    assert bucket_order([16, 0, 1], int) == [16, 0, 1]
    assert bucket_order([*range(12), 16], int) == [*range(12), 16]
    assert bucket_order([16, *range(11)], int) == [16, *range(11)]


def test_the_upper_half_of_the_hash_is_spread_over_the_lower():
    assert bucket_order([1 << 16, 0], int) == [0, 1 << 16]
    assert bucket_order([3, 1 << 17], int) == [1 << 17, 3]


def test_a_table_is_made_for_a_capacity_and_keys_may_go_to_the_front_of_their_bucket():
    assert bucket_order([2, 4, 1], int, 3) == [4, 1, 2]
    assert computed_order([2, 4, 1], int, 3) == [4, 1, 2]
    assert computed_order([0, 4, 1], int, 4) == [4, 0, 1]
    assert bucket_order([0, 4, 1], int, 4) == [0, 4, 1]


def test_a_table_that_is_computed_grows_with_the_next_call_even_for_a_key_that_is_there():
    assert computed_order([0, 4, 1, 2], int, 4) == [4, 0, 1, 2]
    assert computed_order([0, 4, 1, 2, 2], int, 4) == [0, 1, 2, 4]
    assert computed_order([8, 0, 4, 2, 2], int, 4) == [0, 8, 2, 4]
    assert computed_order([], int, 0) == []


ints = st.integers(INT_MIN, -INT_MIN - 1)


@given(st.integers())
def test_wrapping_keeps_the_low_32_bits(value):
    assert INT_MIN <= wrap(value) < -INT_MIN
    assert (wrap(value) - value) % 2**32 == 0


@given(ints, st.integers(1, 2**31 - 1))
def test_the_remainder_has_the_sign_of_the_value(value, divisor):
    left = remainder(value, divisor)
    assert (value - left) % divisor == 0
    assert abs(left) < divisor
    assert left == 0 or (left > 0) == (value > 0)


@given(ints)
@example(INT_MIN)
def test_both_ways_to_a_non_negative_int(value):
    assert utils_abs(value) == (0 if value == INT_MIN else abs(value))
    assert to_positive(value) == (value if value >= 0 else value + 2**31)


@given(seed=st.integers(-(2**63), 2**63 - 1), bound=st.integers(1, POSITIVE_INTS))
def test_numbers_are_below_their_bound_and_follow_from_the_seed(seed, bound):
    first, then = JavaRandom(seed), JavaRandom(seed)
    drawn = [first.next_int(bound) for _ in range(5)]
    assert all(0 <= number < bound for number in drawn)
    assert [then.next_int(bound) for _ in range(5)] == drawn


def test_all_numbers_below_a_bound_are_about_equally_likely():
    random = JavaRandom(1)
    counts = Counter(random.next_int(6) for _ in range(6_000))
    assert set(counts) == set(range(6))
    assert min(counts.values()) > 850


@pytest.mark.parametrize("bound", [0, -1, POSITIVE_INTS + 1])
def test_a_bound_without_numbers_is_bad_input(bound):
    with pytest.raises(InputError, match="expected 1 to"):
        JavaRandom(0).next_int(bound)


@given(items=st.lists(st.integers(), max_size=12), seed=st.integers(0, 999))
def test_shuffling_permutes(items, seed):
    shuffled = list(items)
    shuffle(shuffled, JavaRandom(seed))
    assert sorted(shuffled) == sorted(items)


def test_shuffling_draws_from_the_end():
    items = ["a", "b", "c"]
    draws = Recorded([(3, 0), (2, 0)])
    shuffle(items, draws)
    assert items == ["b", "c", "a"]
    assert draws.left == 0
    shuffle(["alone"], Recorded([]))


def test_a_run_that_strays_from_the_record_is_told():
    draws = Recorded([(3, 2)])
    with pytest.raises(InputError, match="draw 1: bound 4, expected 3"):
        draws.next_int(4)
    assert (draws.next_int(3), draws.left) == (2, 0)
    with pytest.raises(InputError, match="draw 2: bound 3, expected no further draw"):
        draws.next_int(3)

"""Ids and Java's hash tables; the expected values follow from the Javadoc of `Uuid` and `HashMap`."""

import uuid

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.java.hashes import bucket_order, computed_order, uuid_halves, uuid_hash


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

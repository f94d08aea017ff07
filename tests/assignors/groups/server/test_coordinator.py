import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kassay.assignors.groups.server.coordinator import (
    CoordinatorLookup,
    lookups_differ,
    offsets_partition,
    remainder_first,
)
from kassay.model.errors import InputError
from kassay.model.java import string_hash

HASH_MIN = ("polygenelubricants", "GydZG_", "DESIGNING WORKHOUSES")
"""Strings whose Java hash is -2**31."""

group_ids = st.one_of(st.text(max_size=20), st.sampled_from(HASH_MIN))


@given(group_id=group_ids, partitions=st.integers(1, 200))
@example("polygenelubricants", 50)
@example("polygenelubricants", 64)
def test_the_two_ways_differ_where_it_says_so(group_id, partitions):
    first, second = offsets_partition(group_id, partitions), remainder_first(group_id, partitions)
    assert 0 <= first < partitions
    assert 0 <= second < partitions
    assert lookups_differ(group_id, partitions) == (first != second)


@pytest.mark.parametrize("group_id", HASH_MIN)
def test_they_differ_for_the_one_hash_without_an_absolute_value(group_id):
    assert string_hash(group_id) == -(2**31)
    assert (offsets_partition(group_id), remainder_first(group_id)) == (0, 48)
    assert [n for n in range(1, 70) if not lookups_differ(group_id, n)] == [1, 2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize("function", [offsets_partition, remainder_first, lookups_differ])
def test_an_offsets_topic_without_partitions_is_bad_input(function):
    with pytest.raises(InputError, match="0 partitions in the offsets topic"):
        function("group", 0)


def test_the_lookup_is_kafkas():
    assert CoordinatorLookup().partition_for("polygenelubricants", 50) == 0

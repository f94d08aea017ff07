"""The second hash agrees with the first."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.partitioners.murmur2 import murmur2, partition_for_key
from kassay.properties.partitioners.murmur2 import partition_of_key, unsigned_murmur2


@given(key=st.binary(max_size=70))
def test_the_second_hash_agrees_with_the_first(key):
    assert unsigned_murmur2(key) == murmur2(key) % 2**32
    assert partition_of_key(key, 50) == partition_for_key(key, 50)

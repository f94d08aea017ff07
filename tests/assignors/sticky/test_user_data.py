"""The sticky assignors' bytes."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.sticky.user_data import (
    UserDataClaim,
    decode_generation,
    decode_sticky,
    encode_generation,
    encode_sticky,
    sticky_user_data,
)
from kassay.model.cluster import TopicPartition
from tests.assignors.client.groups import tps

INT32 = st.integers(-(2**31), 2**31 - 1)
TOPIC = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
OWNED = st.lists(st.builds(TopicPartition, TOPIC, INT32), unique=True)


@given(OWNED, INT32)
def test_a_claim_survives_the_wire(owned, generation):
    claim = decode_sticky(sticky_user_data(owned, generation))
    assert sorted(claim.owned) == sorted(owned)
    assert claim.generation == generation


@given(OWNED)
def test_version_0_has_no_generation(owned):
    claim = decode_sticky(sticky_user_data(owned, None))
    assert sorted(claim.owned) == sorted(owned)
    assert claim.generation == -1


@given(OWNED, INT32, st.binary(max_size=5))
def test_trailing_bytes_are_not_read(owned, generation, rest):
    data = sticky_user_data(owned, generation)
    assert decode_sticky(data + rest) == decode_sticky(data)


@given(st.binary(max_size=40))
def test_any_bytes_are_read_as_some_claim(data):
    assert isinstance(decode_sticky(data), UserDataClaim)
    assert isinstance(decode_generation(data), int)


@given(OWNED.filter(bool), st.data())
def test_data_cut_short_of_its_partitions_is_no_claim(owned, draw):
    data = sticky_user_data(owned, None)
    assert decode_sticky(data[: draw.draw(st.integers(0, len(data) - 1))]) == UserDataClaim()


@given(INT32)
def test_a_generation_survives_the_wire(generation):
    assert decode_generation(encode_generation(generation)) == generation


def test_the_layout():
    data = encode_sticky([("ab", [1, 2])], 7)
    assert data == bytes.fromhex("00000001 0002 6162 00000002 00000001 00000002 00000007")


def test_topics_that_share_a_bucket_come_latest_first():
    """`Users` and `t_5` fall into one bucket, and Java puts the later key in front."""
    assert decode_sticky(sticky_user_data(tps("Users-0 t_5-0"), 1)).owned == tps("t_5-0 Users-0")
    assert decode_sticky(sticky_user_data(tps("t_5-0 Users-0"), 1)).owned == tps("Users-0 t_5-0")


def test_no_data_is_an_empty_claim():
    assert decode_sticky(None) == decode_sticky(b"") == UserDataClaim((), -1)
    assert decode_generation(None) == decode_generation(b"\0") == -1

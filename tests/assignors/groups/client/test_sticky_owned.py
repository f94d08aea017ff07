"""Whose reported stand: against Kafka's rule told from each partition's side, and what counts as unassigned.

What the sticky rules know of racks: when they match, what mismatches, and who is next.

The sticky assignors' bytes.
"""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.groups.client.sticky_owned import (
    NO_RACKS,
    RackInfo,
    UserDataOwned,
    decode_generation,
    decode_sticky,
    encode_generation,
    encode_sticky,
    sticky_user_data,
    unassigned,
    weigh_owned,
)
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Group, Member
from tests.assignors.groups.client.groups import tps
from tests.assignors.groups.client.optimal_groups import drawn


def read(member):
    return UserDataOwned(member.owned, member.generation)


def test_ownership_stands_unless_one_of_the_same_or_a_higher_generation_is_met():
    for cluster, group in drawn(200):
        reported = weigh_owned(group.members, cluster.counts, read)
        owned_once = {tp for m in group.members for tp in m.owned if tp.topic in cluster.counts}
        for tp in owned_once:
            mine = [m for m in group.members if tp in m.owned]
            top = max(m.generation for m in mine)
            holders = [name for name, owned in reported.owned.items() if tp in owned]
            first = [m for m in mine if m.generation == top]
            assert holders == ([first[0].member_id] if len(first) == 1 else [])
            assert tp in reported.contested or len(first) == 1
        assert {tp for owned in reported.owned.values() for tp in owned} <= owned_once
        assert reported.highest == max(m.generation for m in group.members)


def test_a_tie_below_the_winner_contests_as_well():
    group = [
        Member(name, ("t",), tps("t-0"), generation) for name, generation in (("a", 1), ("b", 1), ("c", 2))
    ]
    reported = weigh_owned(group, {"t"}, read)
    assert (reported.contested, reported.owned) == ({*tps("t-0")}, {"a": [], "b": [], "c": [*tps("t-0")]})


def test_an_earlier_claimant_counts_with_the_generation_of_its_subscription():
    group = [Member("a", ("t",), tps("t-0"), 3), Member("b", ("t",), tps("t-0"), 2)]
    reported = weigh_owned(group, {"t"}, lambda m: UserDataOwned(m.owned, 1 if m.member_id == "a" else 2))
    assert (reported.owned, reported.highest) == ({"a": [*tps("t-0")], "b": []}, 2)


@pytest.mark.parametrize(
    ("subscriptions", "equal"),
    [
        ("t t", True),
        ("tu ut", True),
        ("t u", False),
        ("tu t", False),
        ("- t t", True),
        ("t -", False),
        ("- -", True),
    ],
)
def test_empty_subscriptions_count_as_equal_only_ahead_of_the_others(subscriptions, equal):
    group = [Member(f"m{i}", tuple(topics.strip("-"))) for i, topics in enumerate(subscriptions.split())]
    assert weigh_owned(group, "tu", read).equal_subscriptions is equal


def test_what_is_unassigned_is_what_is_not_assigned():
    for cluster, group in drawn(60):
        taken = [tp for m in Group(group.members).members for tp in m.owned if cluster.has(tp)]
        every = [tp for found in cluster.partitions.values() for tp in found]
        assert unassigned(cluster.partitions, taken) == [tp for tp in every if tp not in taken]


def test_behind_a_partition_that_does_not_exist_everything_counts_as_unassigned():
    partitions = Cluster.of({"a": 2, "b": 2}).partitions
    assert unassigned(partitions, tps("a-0 b-0")) == list(tps("a-1 b-1"))
    assert unassigned(partitions, tps("a-0 a-7 b-0")) == list(tps("a-1 b-0 b-1"))
    assert unassigned(partitions, (*tps("a-0 b-0"), TopicPartition("b", -1))) == list(tps("a-1 b-0 b-1"))


T0, T1, T2 = (TopicPartition("t", p) for p in range(3))
BROKERS = (Broker(1, "a"), Broker(2, "b"), Broker(3))


def info(replicas, *racks, prefer=False):
    cluster = Cluster((Topic("t", len(replicas), replicas),), BROKERS)
    members = [Member(f"m{i}", ("t",), rack=rack) for i, rack in enumerate(racks)]
    return RackInfo.of(cluster, cluster.partitions, members, prefer=prefer)


@pytest.mark.parametrize(
    ("replicas", "racks", "matched"),
    [
        (((1,), (2,)), ("a",), (True, True)),
        (((1, 2), (2, 1)), ("a",), (False, True)),
        (((1,), (2,)), ("c",), (False, False)),
        (((1,), (2,)), (None, ""), (False, False)),
        (((3,), (3,)), ("a",), (False, False)),
        (None, ("a",), (False, False)),
    ],
)
def test_racks_are_matched_where_they_meet_and_differ_or_are_preferred(replicas, racks, matched):
    cluster = Cluster((Topic("t", 2, replicas),), BROKERS)
    members = [Member(f"m{i}", ("t",), rack=rack) for i, rack in enumerate(racks)]
    for prefer in (False, True):
        found = RackInfo.of(cluster, cluster.partitions, members, prefer=prefer)
        assert (found is not NO_RACKS) == matched[prefer]


def test_a_member_without_a_rack_mismatches_nothing():
    racks = info(((1,), (2,), (1, 2)), "a", None)
    assert [racks.mismatch("m0", tp) for tp in (T0, T1, T2)] == [False, True, False]
    assert not any(racks.mismatch("m1", tp) for tp in (T0, T1, T2))
    assert racks.of_partition(TopicPartition("ghost", 0)) == frozenset()


def test_partitions_with_the_fewest_members_in_their_racks_come_first():
    racks = info(((1, 2), (2,), (1,), (3,)), "a", "a", "b")
    assert [tp.partition for tp in racks.rarest_first([T0, T1, T2, TopicPartition("t", 3)])] == [3, 1, 2, 0]
    alike = info(((1,), (2,), (1,)), "a", "b")
    assert alike.rarest_first([T2, T1, T0]) == [T2, T1, T0]


def test_the_next_member_is_the_first_match_going_round():
    for seed in range(60):
        rng = Random(seed)
        racks = [rng.choice(("a", "b", None)) for _ in range(rng.randint(1, 5))]
        found = info(((1,), (2,), (3,)), *racks, prefer=True)
        if found is NO_RACKS:
            continue
        ids = [f"m{i}" for i in range(len(racks))]
        for tp in (T0, T1, T2):
            for first in range(len(ids) + 1):
                round_ = [*range(first, len(ids)), *range(min(first, len(ids)))]
                expected = [place for place in round_ if racks[place] in found.of_partition(tp)]
                assert found.next_member(tp, ids, first) == next(iter(expected), None)


INT32 = st.integers(-(2**31), 2**31 - 1)
TOPIC = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
OWNED = st.lists(st.builds(TopicPartition, TOPIC, INT32), unique=True)


@given(OWNED, INT32)
def test_a_claim_survives_the_wire(owned, generation):
    report = decode_sticky(sticky_user_data(owned, generation))
    assert sorted(report.owned) == sorted(owned)
    assert report.generation == generation


@given(OWNED)
def test_version_0_has_no_generation(owned):
    report = decode_sticky(sticky_user_data(owned, None))
    assert sorted(report.owned) == sorted(owned)
    assert report.generation == -1


@given(OWNED, INT32, st.binary(max_size=5))
def test_trailing_bytes_are_not_read(owned, generation, rest):
    data = sticky_user_data(owned, generation)
    assert decode_sticky(data + rest) == decode_sticky(data)


@given(st.binary(max_size=40))
def test_any_bytes_are_read_as_some_claim(data):
    assert isinstance(decode_sticky(data), UserDataOwned)
    assert isinstance(decode_generation(data), int)


@given(OWNED.filter(bool), st.data())
def test_data_cut_short_of_its_partitions_is_no_claim(owned, draw):
    data = sticky_user_data(owned, None)
    assert decode_sticky(data[: draw.draw(st.integers(0, len(data) - 1))]) == UserDataOwned()


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
    assert decode_sticky(None) == decode_sticky(b"") == UserDataOwned((), -1)
    assert decode_generation(None) == decode_generation(b"\0") == -1

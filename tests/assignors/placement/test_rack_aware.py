"""Both rules of `AdminUtils`: the documented tables, the refusals, growth and overflow."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.java_errors import ArrayIndexOutOfBoundsError, IndexOutOfBoundsError
from kassay.assignors.placement.laps import follower_index
from kassay.assignors.placement.rack_aware import RackAware, rack_alternated
from kassay.assignors.placement.rack_unaware import RackUnaware
from kassay.model.cluster import Broker
from kassay.model.java.randomness import JavaRandom, Recorded
from kassay.model.placement.request import (
    AdminOperationError,
    InvalidPartitionsError,
    InvalidReplicationFactorError,
    PlacementRequest,
)
from kassay.model.placement.step import place
from kassay.properties.placement.replicas import follower_spread
from kassay.properties.placement.scenarios import EVEN_RACKS, UNEVEN_RACKS, PlacementProfile, request
from kassay.properties.sources import Drawn

RULES = (RackUnaware, RackAware)
RACKED = PlacementProfile(racks=(EVEN_RACKS, UNEVEN_RACKS), existing=False, too_few_brokers=False)
SIX = tuple(
    Broker(number, rack) for number, rack in enumerate(["rack1", "rack3", "rack3", "rack2", "rack2", "rack1"])
)


def placed(rule, brokers, partitions, factor, start=0, first=-1, **more):
    asked = PlacementRequest(
        partitions, factor, tuple(brokers), start_partition_id=first, fixed_start_index=start, **more
    )
    return rule().place(asked, Recorded(()))


def bare(size):
    return tuple(Broker(number) for number in range(size))


@pytest.mark.parametrize("rule", RULES)
def test_the_documented_table_of_five_brokers(rule):
    """Ten partitions of three replicas; rows are brokers, as in the Javadoc."""
    rows = placed(rule, bare(5), 10, 3)
    table = [[[p for p in range(10) if rows[p][rank] == broker] for broker in range(5)] for rank in range(3)]
    assert table == [
        [[0, 5], [1, 6], [2, 7], [3, 8], [4, 9]],
        [[4, 8], [0, 9], [1, 5], [2, 6], [3, 7]],
        [[3, 7], [4, 8], [0, 9], [1, 5], [2, 6]],
    ]


def test_the_documented_table_of_six_brokers_in_three_racks():
    assert rack_alternated({b.broker_id: b.rack for b in SIX}) == [0, 3, 1, 5, 4, 2]
    assert placed(RackAware, SIX, 7, 3) == (
        (0, 3, 1),
        (3, 1, 5),
        (1, 5, 4),
        (5, 4, 2),
        (4, 2, 0),
        (2, 0, 3),
        (0, 4, 2),
    )


def test_the_documented_list_of_nine_brokers_in_three_racks():
    assert rack_alternated({i: f"rack{i // 3 + 1}" for i in range(9)}) == [0, 3, 6, 1, 4, 7, 2, 5, 8]


def test_racks_come_in_javas_order_of_their_names():
    """U+1F600 is two surrogates in UTF-16 and comes before U+FF5E, which Python puts first."""
    assert rack_alternated({0: "～", 1: "\U0001f600"}) == [1, 0]


def test_rack_unaware_does_not_look_at_racks():
    assert placed(RackUnaware, SIX, 7, 3) == placed(RackUnaware, bare(6), 7, 3)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("brokers", "partitions", "factor", "error", "java_class"),
    [
        (3, 0, 1, InvalidPartitionsError, "org.apache.kafka.common.errors.InvalidPartitionsException"),
        (0, -1, 0, InvalidPartitionsError, "org.apache.kafka.common.errors.InvalidPartitionsException"),
        (
            3,
            1,
            0,
            InvalidReplicationFactorError,
            "org.apache.kafka.common.errors.InvalidReplicationFactorException",
        ),
        (
            3,
            1,
            4,
            InvalidReplicationFactorError,
            "org.apache.kafka.common.errors.InvalidReplicationFactorException",
        ),
        (
            0,
            1,
            1,
            InvalidReplicationFactorError,
            "org.apache.kafka.common.errors.InvalidReplicationFactorException",
        ),
    ],
)
def test_impossible_numbers_are_refused_under_kafkas_name(
    rule, brokers, partitions, factor, error, java_class
):
    with pytest.raises(error) as refused:
        placed(rule, bare(brokers), partitions, factor)
    assert refused.value.java_class == java_class


def test_partial_racks_are_refused_by_rack_aware_alone():
    partial = (Broker(0, "a"), Broker(1), Broker(2))
    with pytest.raises(AdminOperationError, match="brokers without a rack: 1, 2") as refused:
        placed(RackAware, partial, 1, 1)
    assert refused.value.java_class == "org.apache.kafka.server.common.AdminOperationException"
    assert placed(RackUnaware, partial, 1, 1) == ((0,),)
    with pytest.raises(InvalidReplicationFactorError):
        placed(RackAware, partial, 1, 4)


@pytest.mark.parametrize("rule", RULES)
def test_without_a_fixed_start_the_leader_is_drawn_and_then_the_distance(rule):
    draws = Recorded([(3, 2), (3, 1)])
    asked = PlacementRequest(2, 2, bare(3))
    assert rule().place(asked, draws) == ((2, 1), (0, 2))
    assert draws.left == 0
    assert rule().place(asked, JavaRandom(5)) == rule().place(asked, JavaRandom(5))


@pytest.mark.parametrize("rule", RULES)
def test_the_leaders_of_a_growing_topic_go_on_but_the_distance_starts_again(rule):
    """The start index is found again from the first partition's leader, the laps behind it are not."""
    whole = placed(rule, bare(5), 12, 3, start=2)
    asked = PlacementRequest(5, 3, bare(5), existing=whole[:7])
    grown = rule().place(asked, Recorded(()))
    assert [row[0] for row in grown] == [row[0] for row in whole[7:]]
    assert grown == placed(rule, bare(5), 5, 3, start=2, first=7)
    assert grown[0] == whole[2] != whole[7]


def test_a_topic_whose_first_leader_is_gone_grows_from_the_next_broker():
    asked = PlacementRequest(1, 1, (Broker(1), Broker(4), Broker(7)), existing=((3,),))
    assert RackUnaware().place(asked, Recorded(())) == ((7,),)
    beyond = PlacementRequest(1, 1, (Broker(1), Broker(4)), existing=((9,),))
    assert RackUnaware().place(beyond, Recorded(())) == ((4,),)


@given(leader=st.integers(0, 8), shift=st.integers(0, 1000), size=st.integers(2, 9))
def test_followers_go_once_round_the_others(leader, shift, size):
    leader %= size
    indices = [follower_index(leader, shift, rank, size) for rank in range(size - 1)]
    assert sorted([leader, *indices]) == list(range(size))


@given(st.composite(lambda draw: request(Drawn(draw), RACKED))(), st.integers(0, 99))
def test_with_as_many_racks_as_replicas_no_rack_has_two_and_with_fewer_each_has_one(asked, seed):
    racks = {broker.broker_id: broker.rack for broker in asked.brokers}
    for row in place(RackAware, asked, seed).placed:
        held = Counter(racks[broker] for broker in row)
        assert len(held) == min(asked.replication_factor, len(set(racks.values())))


def test_with_more_replicas_than_racks_a_rack_may_be_crowded():
    """Two racks, four replicas: three in one rack although two in each would do."""
    brokers = [Broker(i, "rack0" if i in (0, 2, 4) else "rack1") for i in range(5)]
    rows = placed(RackAware, brokers, 24, 4, start=1)
    racks = {broker.broker_id: broker.rack for broker in brokers}
    assert max(Counter(racks[b] for b in row)["rack0"] for row in rows) == 3


def test_with_one_broker_more_than_racks_a_leader_keeps_its_followers():
    """The distance grows by the number of racks, which is a full turn of the other brokers."""
    brokers = (Broker(0, "a"), Broker(1, "a"), Broker(2, "b"))
    step = place(RackAware, PlacementRequest(12, 2, brokers, fixed_start_index=0))
    (found,) = [one for one in follower_spread(step) if one.subject == "broker 2"]
    assert found.facts["leads"] == 4


def test_a_start_index_near_the_end_of_javas_ints_overflows_as_there():
    start = 2**31 - 8
    assert len(placed(RackUnaware, bare(3), 8, 2, start=start)) == 8
    with pytest.raises(ArrayIndexOutOfBoundsError) as thrown:
        placed(RackUnaware, bare(3), 9, 2, start=start)
    assert thrown.value.java_class == "java.lang.ArrayIndexOutOfBoundsException"
    racked = [Broker(i, f"r{i}") for i in range(3)]
    with pytest.raises(IndexOutOfBoundsError) as thrown:
        placed(RackAware, racked, 9, 1, start=start)
    assert thrown.value.java_class == "java.lang.IndexOutOfBoundsException"
    with pytest.raises(IndexOutOfBoundsError, match="after an int overflow"):
        # The distance, three times the start index, has wrapped round to a negative number.
        placed(RackAware, [Broker(i, f"r{i % 3}") for i in range(5)], 1, 2, start=2**30 - 34)

"""What both branches of `AdminUtils` have in common: the documented table, the refusals, growth, overflow."""

from itertools import product

import pytest

from kassay.assignors.java_errors import ArrayIndexOutOfBoundsError, IndexOutOfBoundsError
from kassay.assignors.placement.rack_aware import RackAware
from kassay.assignors.placement.rack_unaware import RackUnaware
from kassay.assignors.registry import load_all
from kassay.engines.targets.resolve import resolve
from kassay.kinds.placement.scopes import groupings
from kassay.model.cluster import Broker
from kassay.model.java import JavaRandom, Recorded
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import (
    AdminOperationError,
    InvalidPartitionsError,
    InvalidReplicationFactorError,
    PlacementRequest,
)
from tests.assignors.placement.placed import bare, placed

RULES = (RackUnaware, RackAware)
PLACERS = [reference for reference in load_all().values() if reference.kind is PLACER]


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


def sent_to_neighbours(groups):
    """By the ids of brokers in these racks the ids in the same order by which a rack's are neighbours."""
    order = sorted(range(len(groups)), key=lambda place: (groups[place], place))
    return {old: new for new, old in enumerate(order)}


def answers_alike(rule, groups, factor, start):
    """Whether the rule answers brokers with these ids as it does neighbours, with the ids exchanged."""
    ids = sent_to_neighbours(groups)
    plain = sorted(groups)
    given = [(Broker(i, f"r{rack}") for i, rack in enumerate(racks)) for racks in (groups, plain)]
    asked = [PlacementRequest(5, factor, tuple(brokers), fixed_start_index=start) for brokers in given]
    one, other = (rule().place(each, JavaRandom(start)) for each in asked)
    return tuple(tuple(ids[broker] for broker in row) for row in one) == other


def differing(rule):
    """The requests of five brokers that ids alone have answered otherwise."""
    every = product(groupings(5), range(1, 6), range(-1, 5))
    return [each for each in every if not answers_alike(rule, *each)]


@pytest.mark.parametrize("rule", PLACERS, ids=lambda rule: rule.spec)
def test_a_placer_is_alike_by_rack_exactly_where_it_says_so(rule):
    """What a hunt leaves out (`Target.alike_by_rack`) it would have answered with other ids and no more."""
    assert (not differing(rule.factory)) == rule.alike_by_rack == resolve(rule.spec).alike_by_rack


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

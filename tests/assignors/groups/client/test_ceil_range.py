"""The ceiling rule of the ZooKeeper era."""

import pytest
from hypothesis import given

from kassay.assignors.groups.client.ceil_range import CeilRange
from kassay.assignors.groups.order import members_in_order
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group
from tests.assignors.groups.client.groups import cases, members, problems, told


@pytest.mark.slow
@given(cases())
def test_everything_is_given_out_once_to_subscribers(case):
    cluster, group = case
    assert problems(cluster, group, CeilRange().assign(cluster, group)) == []


@pytest.mark.slow
@given(cases())
def test_member_i_gets_the_partitions_from_i_times_n(case):
    cluster, group = case
    found = CeilRange().assign(cluster, group)
    for topic, partitions in cluster.partitions.items():
        readers = [m.member_id for m in members_in_order(group.members) if topic in m.topics]
        for place, member_id in enumerate(readers):
            size = (len(partitions) + len(readers) - 1) // len(readers)
            mine = [tp for tp in found[member_id] if tp.topic == topic]
            assert mine == list(partitions[place * size : (place + 1) * size])


def test_the_last_members_go_short():
    found = CeilRange().assign(Cluster.of({"t": 4}), Group(members({"c": "t", "a": "t", "b": "t"})))
    assert told(found) == {"c": "", "a": "t-0 t-1", "b": "t-2 t-3"}


def test_more_consumers_than_partitions():
    found = CeilRange().assign(Cluster.of({"t": 3}), Group(members(dict.fromkeys("abcd", "t"))))
    assert told(found) == {"a": "t-0", "b": "t-1", "c": "t-2", "d": ""}


def test_a_group_without_members():
    assert told(CeilRange().assign(Cluster.of({"t": 3}), Group(()))) == {}

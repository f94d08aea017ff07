import pytest
from hypothesis import given

from kassay.assignors.groups.server.share_simple import ShareSimple
from kassay.assignors.groups.server.topics import PartitionAssignorException
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group, Member
from tests.assignors.groups.server.groups import situations


@given(situations())
def test_every_member_gets_all_of_its_topics_once(situation):
    cluster, group = situation
    answer = ShareSimple().assign(cluster, group)
    for member in group.members:
        wanted = [tp for topic in cluster.topics if topic.name in member.topics for tp in topic.tps()]
        assert sorted(answer.get(member.member_id, ())) == sorted(wanted)


@given(situations())
def test_a_member_is_absent_exactly_when_it_reads_nothing(situation):
    cluster, group = situation
    answer = ShareSimple().assign(cluster, group)
    assert set(answer) == {member.member_id for member in group.members if member.topics}


def test_a_topic_subscribed_twice_is_given_once():
    answer = ShareSimple().assign(Cluster.of({"t": 2}), Group((Member("a", ("t", "t")),)))
    assert len(answer["a"]) == 2


def test_an_unknown_topic_is_refused_under_kafkas_name():
    with pytest.raises(PartitionAssignorException) as raised:
        ShareSimple().assign(Cluster.of({"t": 2}), Group((Member("a", ("gone",)),)))
    assert raised.value.java_class.endswith(".PartitionAssignorException")

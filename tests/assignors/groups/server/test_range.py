import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.groups.server.range import ServerRange
from kassay.assignors.groups.server.topics import PartitionAssignorException
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Group, Member
from tests.assignors.groups.server.groups import is_valid, situations


def shown(cluster: Cluster, *members: Member) -> dict[str, str]:
    answer = ServerRange().assign(cluster, Group(members))
    return {member_id: " ".join(map(str, tps)) for member_id, tps in answer.items()}


@given(situations())
def test_every_partition_goes_to_one_member_that_reads_it_and_topics_are_even(situation):
    cluster, group = situation
    answer = ServerRange().assign(cluster, group)
    assert is_valid(cluster, group, answer)
    for topic, readers in group.subscribers.items():
        counts = [sum(tp.topic == topic for tp in answer[reader]) for reader in readers]
        assert max(counts) - min(counts) <= 1


@given(situations(), st.randoms())
def test_the_order_of_the_input_does_not_matter(situation, random):
    cluster, group = situation
    topics, members = list(cluster.topics), list(group.members)
    random.shuffle(topics)
    random.shuffle(members)
    turned = ServerRange().assign(Cluster(tuple(topics)), Group(tuple(members)))
    assert turned.same_sets(ServerRange().assign(cluster, group))


def test_the_example_of_the_javadoc_is_copartitioned():
    cluster = Cluster.of({"T1": 3, "T2": 3})
    assert shown(cluster, Member("M0", ("T1", "T2")), Member("M1", ("T1", "T2"))) == {
        "M0": "T1-0 T1-1 T2-0 T2-1",
        "M1": "T1-2 T2-2",
    }


def test_static_members_come_first_by_instance_id():
    members = [
        Member("a", ("t",)),
        Member("z", ("t",), instance_id="i0"),
        Member("y", ("t",), instance_id="i1"),
    ]
    assert shown(Cluster.of({"t": 4}), *members) == {"a": "t-3", "z": "t-0 t-1", "y": "t-2"}


def test_a_member_beyond_the_partitions_gets_nothing_and_one_without_topics_too():
    members = [Member("a", ("t",)), Member("b", ("t",)), Member("c", ())]
    assert shown(Cluster.of({"t": 1}), *members) == {"a": "t-0", "b": "", "c": ""}


def test_a_topic_without_partitions_is_known_and_an_unknown_one_is_refused():
    cluster = Cluster((Topic("t", 0),))
    assert shown(cluster, Member("a", ("t",))) == {"a": ""}
    with pytest.raises(PartitionAssignorException, match="gone"):
        shown(cluster, Member("a", ("t", "gone")))


def test_the_current_target_plays_no_part():
    owner = Member("b", ("t",), (TopicPartition("t", 0), TopicPartition("t", 7)))
    assert shown(Cluster.of({"t": 2}), Member("a", ("t",)), owner) == {"a": "t-0", "b": "t-1"}

from collections.abc import Sequence

import pytest
from hypothesis import given

from kassay.assignors.java_errors import ArrayIndexOutOfBoundsError
from kassay.assignors.server.topics import PartitionAssignorException
from kassay.assignors.server.uniform import Uniform
from kassay.model.cluster import Cluster, Topic
from kassay.model.groups.group import Group, Member, SubscriptionType
from tests.assignors.server.groups import assign, is_valid, loads, owning, situations, tps


@pytest.mark.slow
@given(situations())
def test_every_partition_goes_to_one_member_that_reads_it(situation):
    cluster, group = situation
    assert is_valid(cluster, group, Uniform().assign(cluster, group))


@given(situations())
def test_a_settled_group_is_given_the_same_again(situation):
    cluster, group = situation
    answer = Uniform().assign(cluster, group)
    assert Uniform().assign(cluster, owning(group, answer)).same_sets(answer)


@given(situations(equal=True))
def test_both_algorithms_balance_equal_subscriptions(situation):
    cluster, group = situation
    told = Group(group.members, subscription_type=SubscriptionType.HETEROGENEOUS)
    one, other = Uniform().assign(cluster, group), Uniform().assign(cluster, told)
    assert sorted(loads(one)) == sorted(loads(other))


def test_a_partition_reported_as_assigned_stays_out():
    answer = assign(
        Cluster.of({"t": 4}), Member("a", ("t",)), Member("b", ("t",)), assigned=frozenset(tps("t", 2))
    )
    assert sorted(tp for given_tps in answer.values() for tp in given_tps) == list(tps("t", 0, 1, 3))


@pytest.mark.parametrize("members", [(), (Member("a", ()),), (Member("a", ()), Member("b", ()))])
def test_without_members_or_topics_the_answer_is_empty(members: Sequence[Member]):
    assert len(assign(Cluster.of({"t": 3}), *members)) == 0


def test_a_topic_without_partitions_is_known():
    assert dict(assign(Cluster((Topic("t", 0),)), Member("a", ("t",)))) == {"a": ()}


@pytest.mark.parametrize("topics", [("t", "gone"), ("gone", "t")])
def test_an_unknown_topic_is_refused(topics: tuple[str, ...]):
    cluster = Cluster.of({"t": 3})
    with pytest.raises(PartitionAssignorException, match="gone"):
        assign(cluster, Member("a", topics), Member("b", topics))
    with pytest.raises(PartitionAssignorException, match="gone"):
        assign(cluster, Member("a", topics), Member("b", ("t",)))


def test_owned_partitions_that_do_not_exist_are_an_error_of_either_kind():
    cluster = Cluster.of({"t": 2, "u": 1})
    beyond = Member("a", ("t",), tps("t", 0, 5))
    with pytest.raises(PartitionAssignorException, match="1 partitions are left unassigned"):
        assign(cluster, beyond, Member("b", ("t",), tps("t", 1)))
    with pytest.raises(ArrayIndexOutOfBoundsError, match="t-5"):
        assign(cluster, beyond, Member("b", ("t", "u"), tps("t", 1)))

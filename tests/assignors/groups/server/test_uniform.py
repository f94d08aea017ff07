"""Uniform by loads: no single move of a topic helps, for as long as the rounds suffice.

Uniform by quotas: loads within one, in the order of the members, and little moves.
"""

import base64
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given

from kassay.assignors.groups.server.topics import PartitionAssignorException
from kassay.assignors.groups.server.uniform import Uniform
from kassay.assignors.java_errors import ArrayIndexOutOfBoundsError
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member, SubscriptionType
from tests.assignors.groups.server.groups import assign, is_valid, loads, owning, situations, tps


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


@given(situations())
def test_in_small_groups_no_single_move_helps(situation):
    cluster, group = situation
    answer = Uniform().assign(cluster, group)
    load = {member.member_id: len(answer.get(member.member_id, ())) for member in group.members}
    for owner, given_tps in answer.items():
        for topic in {tp.topic for tp in given_tps}:
            assert all(load[owner] - load[other] <= 1 for other in group.subscribers[topic])


def test_a_chain_of_two_moves_is_not_found():
    # Loads of 9, 10 and 11 over two topics: neither topic alone can be improved.
    cluster = Cluster.of({"t1": 15, "t2": 15})
    answer = assign(
        cluster,
        Member("a", ("t1",), tps("t1", *range(9))),
        Member("b", ("t1", "t2"), tps("t1", *range(9, 15)) + tps("t2", *range(4))),
        Member("c", ("t2",), tps("t2", *range(4, 15))),
    )
    assert loads(answer) == [9, 10, 11]


def chain(topics: int, partitions: int) -> tuple[Cluster, Group]:
    """Member i reads topics i-1 and i and owns all of topic i."""
    ids = [base64.urlsafe_b64encode((i + 1).to_bytes(16)).decode()[:22] for i in range(topics)]
    members = (
        Member(
            f"m{i}",
            tuple(ids[k] for k in (i - 1, i) if 0 <= k < topics),
            tps(ids[i], *range(partitions)) if i < topics else (),
        )
        for i in range(topics + 1)
    )
    return Cluster.of(dict.fromkeys(ids, partitions)), Group(tuple(members))


@pytest.mark.parametrize(("partitions", "rounds_suffice"), [(30, True), (60, False)])
def test_a_long_chain_uses_the_rounds_up(partitions: int, rounds_suffice: bool):
    cluster, group = chain(8, partitions)
    answer = Uniform().assign(cluster, group)
    sizes = loads(answer)
    neighbours = [abs(a - b) for a, b in pairwise(sizes)]
    assert (max(neighbours) <= 1) is rounds_suffice
    assert Uniform().assign(cluster, owning(group, answer)).same_sets(answer) is rounds_suffice


def test_topics_with_the_same_need_go_by_topic_id_as_signed_halves():
    high, low = "gAAAAAAAAAAAAAAAAAAABQ", "AAAAAAAAAAAAAAAAAAAABw"
    cluster = Cluster((Topic("x", 1, topic_id=low), Topic("y", 1, topic_id=high)))
    answer = assign(
        cluster,
        Member("a", ("x", "y")),
        Member("b", ("x", "y")),
        subscription_type=SubscriptionType.HETEROGENEOUS,
    )
    assert dict(answer) == {"a": tps("y", 0), "b": tps("x", 0)}


def test_two_owners_of_a_partition_both_keep_it_where_loads_decide():
    members = (Member("a", ("t",), tps("t", 0, 1)), Member("b", ("t", "u"), tps("t", 1, 2)))
    answer = assign(Cluster.of({"t": 4, "u": 1}), *members)
    assert TopicPartition("t", 1) in answer["a"]
    assert TopicPartition("t", 1) in answer["b"]


@given(situations(equal=True))
def test_equal_subscriptions_give_loads_within_one(situation):
    cluster, group = situation
    sizes = loads(Uniform().assign(cluster, group)) or [0]
    assert max(sizes) - min(sizes) <= 1


@given(situations(equal=True))
def test_with_equal_subscriptions_a_member_loses_only_what_its_quota_does_not_hold(situation):
    cluster, group = situation
    answer = Uniform().assign(cluster, group)
    for member in group.members:
        held = [tp for tp in member.owned if tp.topic in member.topics]
        got = answer.get(member.member_id, ())
        assert len(set(held) & set(got)) == min(len(held), len(got))


def test_eleven_partitions_over_three_members_are_four_four_and_three():
    answer = assign(Cluster.of({"t": 11}), *(Member(m, ("t",)) for m in "abc"))
    assert loads(answer) == [4, 4, 3]


def test_the_extra_partition_goes_to_who_comes_first_not_to_who_owns_it():
    members = [Member("a", ("t",), tps("t", 0)), Member("b", ("t",), tps("t", 1, 2))]
    assert dict(assign(Cluster.of({"t": 3}), *members)) == {"a": tps("t", 0, 2), "b": tps("t", 1)}
    assert assign(Cluster.of({"t": 3}), *members[::-1]).same_sets(
        Assignment({"a": tps("t", 0), "b": tps("t", 1, 2)})
    )


def test_partitions_of_a_topic_are_kept_together_when_quotas_cut():
    # The current target is a map by topic: t is used up before u, however the list is mixed.
    mixed = tps("t", 0) + tps("u", 0) + tps("t", 1) + tps("u", 1)
    answer = assign(Cluster.of({"t": 2, "u": 2}), Member("a", ("t", "u"), mixed), Member("b", ("u", "t")))
    assert dict(answer) == {"a": tps("t", 0, 1), "b": tps("u", 0, 1)}


def test_two_owners_of_a_partition_are_an_error_where_quotas_decide():
    members = (Member("a", ("t",), tps("t", 0, 1)), Member("b", ("t",), tps("t", 1, 2)))
    with pytest.raises(PartitionAssignorException, match="1 partitions are left unassigned"):
        assign(Cluster.of({"t": 4}), *members)

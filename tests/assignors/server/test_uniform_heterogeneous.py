"""Uniform by loads: no single move of a topic helps, for as long as the rounds suffice."""

import base64
from itertools import pairwise

import pytest
from hypothesis import given

from kassay.assignors.server.uniform import Uniform
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Group, Member, SubscriptionType
from tests.assignors.server.groups import assign, loads, owning, situations, tps


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

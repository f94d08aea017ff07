"""Share-simple of 4.1: by the hash of the member's id, and the rest in turn."""

import pytest
from hypothesis import given

from kassay.assignors.groups.server.share_simple_4_1 import ShareByHash
from kassay.assignors.groups.server.topics import PartitionAssignorException
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group, Member
from tests.assignors.groups.server.groups import situations, tps


def assign(cluster, *members, **group):
    return ShareByHash().assign(cluster, Group(members, **group))


@given(situations())
def test_a_new_group_gets_everything_that_it_reads_and_nothing_else(situation):
    cluster, group = situation
    group = Group(tuple(member._replace(owned=()) for member in group.members))
    answer = ShareByHash().assign(cluster, group)
    given_out = {tp for tps_ in answer.values() for tp in tps_}
    read = {tp for t in cluster.topics if t.name in group.subscribers for tp in t.tps()}
    assert given_out == read
    for member_id, tps_ in answer.items():
        assert {tp.topic for tp in tps_} <= set(group.by_id[member_id].topics)


@given(situations(equal=True))
def test_with_equal_subscriptions_everybody_has_something_and_one_above_the_share_at_most(situation):
    cluster, group = situation
    answer = ShareByHash().assign(cluster, group)
    total = sum(cluster.counts[topic] for topic in set(group.members[0].topics))
    for tps_ in answer.values():
        assert (total > 0) <= len(tps_) <= -(-total // len(group.members)) + 1


def test_ids_of_one_hash_share_a_partition_and_the_rest_goes_round():
    # "Aa" and "BB" have one hash in Java, 2112: partition 0 of 2, 3, 4.
    cluster = Cluster.of({"t": 4})
    answer = assign(cluster, Member("Aa", ("t",)), Member("BB", ("t",)))
    assert dict(answer) == {"Aa": tps("t", 0, 1, 3), "BB": tps("t", 0, 2)}


def test_a_negative_hash_counts_by_its_absolute_remainder():
    # Java's hash of "polygenelubricants" is the smallest 32-bit number.
    answer = assign(Cluster.of({"t": 5}), Member("polygenelubricants", ("t",)), Member("b", ("t",)))
    assert TopicPartition("t", 2**31 % 5) in answer["polygenelubricants"]


def test_with_differing_subscriptions_who_was_alone_keeps_everything():
    cluster = Cluster.of({"t": 6, "u": 1})
    alone = Member("a", ("t",), tps("t", *range(6)))
    answer = assign(cluster, alone, Member("b", ("t", "u")))
    assert len(answer["a"]) >= 5
    assert len([tp for tp in answer["b"] if tp.topic == "t"]) <= 1


def test_what_somebody_holds_who_no_longer_reads_it_goes_to_nobody_where_subscriptions_differ():
    # With one reader the hash gives it one partition; the other is not free, as a has it, and a may not keep it.
    cluster = Cluster.of({"t": 2})
    for owned, lost in ((tps("t", 0, 1), 1), ((), 0)):
        answer = assign(cluster, Member("a", (), owned), Member("b", ("t",)))
        assert answer["a"] == ()
        assert len(answer["b"]) == 2 - lost


def test_what_may_not_be_given_out_stays_with_who_has_it_and_goes_to_nobody_else():
    cluster, some = Cluster.of({"t": 3}), frozenset(tps("t", 0))
    for topics in (("t",), ("t", "u")):
        members = (Member("a", ("t",), tps("t", 2)), Member("b", topics))
        answer = assign(Cluster.of({"t": 3, "u": 0}), *members, assignable=some)
        assert tps("t", 2)[0] not in answer["b"]
        assert tps("t", 1)[0] not in {*answer["a"], *answer["b"]}
    assert dict(assign(cluster, Member("a", ("t",)), assignable=frozenset())) == {"a": ()}


def test_a_group_that_reads_nothing_has_no_entries_and_an_unknown_topic_is_refused():
    assert dict(assign(Cluster.of({"t": 2}), Member("a", ()))) == {}
    for others in ((), (Member("b", ("t",)),)):
        with pytest.raises(PartitionAssignorException):
            assign(Cluster.of({"t": 2}), Member("a", ("gone",)), *others)

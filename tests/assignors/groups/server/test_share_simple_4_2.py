"""Share-simple since 4.2: shared evenly, little moved, and where it is known to fall short."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.groups.server.share_simple_4_2 import ShareEvenly, shared
from kassay.assignors.groups.server.topics import PartitionAssignorException
from kassay.assignors.java_errors import NoSuchElementError
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group, Member
from tests.assignors.groups.server.groups import loads, owning, situations, tps


def assign(cluster, *members, **group):
    return ShareEvenly().assign(cluster, Group(members, **group))


def fresh(group):
    """The group before anybody has anything."""
    return Group(tuple(member._replace(owned=()) for member in group.members))


def copies(answer):
    """How many members have each partition."""
    given = [tp for tps_ in answer.values() for tp in tps_]
    return {tp: given.count(tp) for tp in given}


@given(situations(equal=True))
def test_equal_subscriptions_share_every_partition_by_as_many_members(situation):
    cluster, group = situation
    answer = ShareEvenly().assign(cluster, group)
    read = [tp for t in cluster.topics if t.name in group.members[0].topics for tp in t.tps()]
    sharing = -(-len(group.members) // len(read)) if read else 0
    assert copies(answer) == dict.fromkeys(read, sharing)
    if read:
        assert max(loads(answer)) - min(loads(answer)) <= 1


@given(situations())
def test_a_new_group_shares_each_topic_evenly_over_its_readers_where_they_differ(situation):
    cluster, group = situation
    if group.homogeneous:
        return
    answer = ShareEvenly().assign(cluster, fresh(group))
    for topic, readers in group.subscribers.items():
        count = cluster.counts[topic]
        sharing = -(-len(readers) // count)
        shared_by = {tp: n for tp, n in copies(answer).items() if tp.topic == topic}
        assert shared_by == dict.fromkeys(cluster.by_name[topic].tps(), sharing)
        of_topic = [sum(tp.topic == topic for tp in answer[member_id]) for member_id in readers]
        assert max(of_topic) - min(of_topic) <= 1


@given(situations(equal=True))
def test_asked_again_nothing_moves(situation):
    cluster, group = situation
    answer = ShareEvenly().assign(cluster, group)
    assert ShareEvenly().assign(cluster, owning(group, answer)).same_sets(answer)


@given(situations(), st.data())
def test_what_may_not_be_given_out_is_given_to_nobody_new(situation, data):
    cluster, group = situation
    everything = [tp for topic in cluster.topics for tp in topic.tps()]
    some = data.draw(st.frozensets(st.sampled_from(everything)))
    members = fresh(group).members
    answer = ShareEvenly().assign(cluster, Group(members, assignable=some))
    read = {tp for tp in some if tp.topic in group.subscribers}
    assert copies(answer).keys() == read


def test_the_counts_of_seven_members_and_29_partitions_add_up_to_30():
    answer = assign(Cluster.of({"t": 29}), *(Member(m, ("t",)) for m in "abcdefg"))
    assert loads(answer)[:6] == [5, 4, 4, 4, 4, 4]
    held = [[*range(5)], *([4 * n + p for p in range(1, 5)] for n in range(1, 6)), []]
    wanted = [len(partitions) for partitions in shared(held, range(29), range(7), int)]
    assert sum(wanted) == 29
    assert max(wanted) == 5


def test_what_nobody_reads_any_more_goes_where_all_read_the_same_and_stays_where_they_do_not():
    cluster = Cluster.of({"t": 2, "u": 2})
    old = tps("u", 0, 1)
    equal = assign(cluster, Member("a", ("t",), old), Member("b", ("t",)))
    assert copies(equal) == dict.fromkeys(tps("t", 0, 1), 1)
    cluster = Cluster.of({"t": 2, "u": 2, "v": 1})
    differing = assign(cluster, Member("a", ("t",), old), Member("b", ("t", "v")))
    assert set(differing["a"]) >= set(old)


@pytest.mark.parametrize("held", [1, 2])
def test_a_held_partition_that_may_not_be_given_out_takes_the_place_of_one_that_may(held):
    cluster, some = Cluster.of({"t": 3}), frozenset(tps("t", 0))
    members = (Member("a", ("t",), tps("t", held)), Member("b", ("t",)))
    # Both are to share t-0, and each wants one: a has its one, and goes without t-0.
    if held == 1:
        # t-1 comes first in the hash table, is short of members too, and b takes it.
        assert dict(assign(cluster, *members, assignable=some)) == {"a": tps("t", 1), "b": tps("t", 1)}
    else:
        # t-0 comes first: b takes it, and t-0 still wants a second.
        with pytest.raises(NoSuchElementError):
            assign(cluster, *members, assignable=some)


def test_a_member_that_is_alone_in_the_circle_counts_as_often_as_it_comes_round():
    # t-1 is to have two members, and only a wants more: it takes t-1 twice, and goes on to t-2.
    held = [[], [0, 1, 2, 3], [2], [0], [0]]
    assert shared(held, [0, 2, 3], range(5), int) == [[1, 2], [3], [2], [0], [0]]


def test_a_group_that_reads_nothing_has_no_entries_and_an_unknown_topic_is_refused():
    assert dict(assign(Cluster.of({"t": 2}), Member("a", ()))) == {}
    for others in ((), (Member("b", ("t",)),)):
        with pytest.raises(PartitionAssignorException):
            assign(Cluster.of({"t": 2}), Member("a", ("gone",)), *others)

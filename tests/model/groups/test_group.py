"""Reported ownership: the previous owners agree with a plain reading of KIP-341 and KIP-792."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Assignment, Group, Member, SubscriptionType, previous_owners
from tests.assignors.groups.client.optimal_groups import drawn


def test_a_partition_belongs_to_the_only_claimant_of_the_latest_generation():
    for case in drawn(200):
        cluster, group = case
        reports = [(tp, m.generation, m) for m in group.members for tp in m.owned]
        expected = {}
        for tp in {tp for tp, _, _ in reports}:
            latest = max(generation for owned, generation, _ in reports if owned == tp)
            names = [m for owned, generation, m in reports if (owned, generation) == (tp, latest)]
            assert group.reported_owners[tp] == (latest, names[0].member_id if len(names) == 1 else None)
            if len(names) == 1 and tp.topic in names[0].topics and cluster.has(tp):
                expected[tp] = names[0].member_id
        assert previous_owners(cluster, group) == expected


def test_views_of_the_subscriptions_agree():
    for case in drawn(100):
        _, group = case
        pairs = {(topic, m.member_id) for m in group.members for topic in m.topics}
        assert {
            (topic, reader) for topic, readers in group.subscribers.items() for reader in readers
        } == pairs
        order = list(group.by_id)
        assert all(sorted(ids, key=order.index) == list(ids) for ids in group.subscribers.values())
        sets = [set(m.topics) for m in group.members]
        assert group.equal_subscriptions == all(one == sets[0] for one in sets)
        assert group.homogeneous == group.equal_subscriptions


def test_what_the_coordinator_reports_of_the_subscriptions_counts_before_what_they_are():
    members = (Member("a", ("t",)), Member("b", ("u",)))
    assert not Group(members).homogeneous
    assert Group(members, subscription_type=SubscriptionType.HOMOGENEOUS).homogeneous
    assert not Group(members[:1], subscription_type=SubscriptionType.HETEROGENEOUS).homogeneous


def test_a_topic_that_is_listed_twice_has_its_reader_once():
    group = Group((Member("a", ("t", "t")), Member("b", ("t",))))
    assert group.subscribers == {"t": ("a", "b")}
    assert group.equal_subscriptions


lists = st.lists(st.builds(TopicPartition, st.sampled_from("tu"), st.integers(0, 2)), unique=True, max_size=3)
answers = st.dictionaries(st.sampled_from("abc"), lists, max_size=3)


@settings(max_examples=60)
@given(answers, answers, st.randoms())
def test_equality_minds_the_order_of_lists_and_same_sets_does_not(one, other, random):
    given_, again = Assignment(one), Assignment(dict(reversed(one.items())))
    assert (given_ == again, hash(given_)) == (True, hash(again))
    shuffled = Assignment({m: random.sample(tps, len(tps)) for m, tps in one.items()})
    assert given_.same_sets(shuffled)
    assert (given_ == Assignment(other)) == (one == other)
    as_sets = [{m: set(tps) for m, tps in answer.items()} for answer in (one, other)]
    assert given_.same_sets(Assignment(other)) == (as_sets[0] == as_sets[1])


@pytest.mark.parametrize("number", [0, 1])
def test_an_assignment_is_a_mapping_of_tuples_that_tells_owners(number):
    tp = TopicPartition("t", number)
    answer = Assignment({"b": [tp], "a": []}, {"a": b"x"})
    assert (dict(answer), len(answer), list(answer)) == ({"b": (tp,), "a": ()}, 2, ["b", "a"])
    assert answer.owners() == {tp: "b"}
    assert answer.user_data == {"a": b"x"}
    assert repr(answer) == f"Assignment(b: t-{number}, a: -)"

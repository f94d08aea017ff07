"""Round robin: the deal, and what it does not promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.groups.client.roundrobin import RoundRobin
from kassay.assignors.java_errors import IllegalArgumentError
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group
from tests.assignors.groups.client.groups import cases, members, problems, told


def answer(counts, reads):
    return told(RoundRobin().assign(Cluster.of(counts), Group(members(reads))))


@pytest.mark.slow
@given(cases())
def test_everything_is_given_out_once_to_subscribers(case):
    cluster, group = case
    assert problems(cluster, group, RoundRobin().assign(cluster, group)) == []


@given(cases(equal=True))
def test_equal_subscriptions_are_balanced_within_one(case):
    loads = [len(found) for found in RoundRobin().assign(*case).values()]
    assert max(loads) - min(loads) <= 1


@pytest.mark.slow
@given(cases(equal=True))
def test_the_stride_is_the_deal(case):
    """With an extra topic that only one member reads and that does not exist, each card is dealt by hand."""
    cluster, group = case
    odd = group.members[0]._replace(topics=(*group.members[0].topics, "nowhere"))
    by_hand = RoundRobin().assign(cluster, Group((odd, *group.members[1:])))
    assert RoundRobin().assign(cluster, group) == by_hand


@pytest.mark.slow
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_input_does_not_matter_even_inside_lists(case, chance):
    cluster, group = case
    topics, shuffled = list(cluster.topics), list(group.members)
    chance.shuffle(topics)
    chance.shuffle(shuffled)
    other = RoundRobin().assign(Cluster(tuple(topics), cluster.brokers), Group(tuple(shuffled)))
    assert RoundRobin().assign(cluster, group) == other


def test_the_examples_of_kafkas_javadoc():
    assert answer({"t0": 3, "t1": 3}, {"C0": "t0 t1", "C1": "t0 t1"}) == {
        "C0": "t0-0 t0-2 t1-1",
        "C1": "t0-1 t1-0 t1-2",
    }
    uneven = answer({"t0": 1, "t1": 2, "t2": 3}, {"C0": "t0", "C1": "t0 t1", "C2": "t0 t1 t2"})
    assert uneven == {"C0": "t0-0", "C1": "t1-0", "C2": "t1-1 t2-0 t2-1 t2-2"}


def test_partitions_move_between_members_that_stay_when_one_leaves():
    """Two topics of two partitions, three consumers; when C2 leaves, B-0 and B-1 swap owners."""
    counts = {"A": 2, "B": 2}
    assert answer(counts, dict.fromkeys(("C1", "C2", "C3"), "A B")) == {
        "C1": "A-0 B-1",
        "C2": "A-1",
        "C3": "B-0",
    }
    assert answer(counts, dict.fromkeys(("C1", "C3"), "A B")) == {"C1": "A-0 B-0", "C3": "A-1 B-1"}


def test_a_group_without_members_is_refused_as_in_kafka():
    with pytest.raises(IllegalArgumentError) as raised:
        RoundRobin().assign(Cluster.of({"t": 1}), Group(()))
    assert raised.value.java_class == "java.lang.IllegalArgumentException"

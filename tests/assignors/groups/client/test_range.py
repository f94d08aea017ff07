"""Range: blocks, racks and co-partitioning.

Rack matching of range: within the blocks' sizes, as much as there is room for, and co-partitioned.
"""

from itertools import chain
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.groups.client.range import (
    Range,
    Share,
    blocks,
    match_racks,
    topics_in_need,
    worth_matching,
)
from kassay.assignors.groups.order import members_in_order
from kassay.model.cluster import Broker, Cluster, Topic
from kassay.model.groups.group import Group, Member
from tests.assignors.groups.client.groups import cases, members, problems, told


def answer(counts, reads):
    return told(Range().assign(Cluster.of(counts), Group(members(reads))))


@pytest.mark.slow
@given(cases())
def test_everything_is_given_out_once_to_subscribers(case):
    cluster, group = case
    assert problems(cluster, group, Range().assign(cluster, group)) == []


@given(cases())
def test_each_topic_is_even(case):
    cluster, group = case
    given_out = Range().assign(cluster, group)
    for topic in cluster.counts:
        counts = [
            sum(tp.topic == topic for tp in given_out[member.member_id])
            for member in group.members
            if topic in member.topics
        ]
        assert not counts or max(counts) - min(counts) <= 1


@pytest.mark.slow
@given(cases(racks=False))
def test_without_racks_shares_are_contiguous_and_in_member_order(case):
    cluster, group = case
    given_out = Range().assign(cluster, group)
    for topic, partitions in cluster.partitions.items():
        dealt = [
            tp
            for member in members_in_order(group.members)
            for tp in given_out[member.member_id]
            if tp.topic == topic
        ]
        assert dealt == [] or dealt == list(partitions)


@given(cases())
def test_topics_of_one_size_and_the_same_subscribers_are_copartitioned(case):
    cluster, group = case
    owner = Range().assign(cluster, group).owners()
    families = {}
    for topic, partitions in cluster.partitions.items():
        readers = frozenset(m.member_id for m in group.members if topic in m.topics)
        if readers:
            owners = [owner[tp] for tp in partitions]
            assert families.setdefault((len(partitions), readers), owners) == owners


@pytest.mark.slow
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_input_does_not_matter(case, chance):
    cluster, group = case
    topics, shuffled = list(cluster.topics), list(group.members)
    chance.shuffle(topics)
    chance.shuffle(shuffled)
    other = Range().assign(Cluster(tuple(topics), cluster.brokers), Group(tuple(shuffled)))
    assert Range().assign(cluster, group).same_sets(other)


@given(st.integers(0, 60), st.integers(1, 20))
def test_blocks_cover_everything_in_order_and_differ_by_one(count, shares):
    numbers = list(range(count))
    found = [numbers[block] for block in blocks(count, shares)]
    assert list(chain.from_iterable(found)) == numbers
    sizes = [len(block) for block in found] + [0] * (shares - len(found))
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) - min(sizes) <= 1


def test_the_example_of_kafkas_javadoc():
    assert answer({"t0": 3, "t1": 3}, {"C0": "t0 t1", "C1": "t0 t1"}) == {
        "C0": "t0-0 t0-1 t1-0 t1-1",
        "C1": "t0-2 t1-2",
    }


def test_a_rolling_bounce_shuffles_dynamic_members_but_not_static_ones():
    cluster = Cluster.of({"t0": 3, "t1": 3})
    renamed = members({"C3": "t0 t1", "C2": "t0 t1"})
    assert told(Range().assign(cluster, Group(renamed)))["C3"] == "t0-2 t1-2"
    static = tuple(m._replace(instance_id=i) for m, i in zip(renamed, ("I1", "I2")))
    assert told(Range().assign(cluster, Group(static)))["C3"] == "t0-0 t0-1 t1-0 t1-1"


def test_the_first_member_gets_one_more_with_every_topic():
    for topics in range(1, 6):
        names = [f"t{number}" for number in range(topics)]
        found = Range().assign(
            Cluster.of(dict.fromkeys(names, 4)), Group(members(dict.fromkeys("abc", " ".join(names))))
        )
        assert [len(found[member]) for member in "abc"] == [2 * topics, topics, topics]


def test_static_members_come_first():
    group = Group((Member("a", ("t",)), Member("z", ("t",), instance_id="i")))
    assert told(Range().assign(Cluster.of({"t": 1}), group)) == {"a": "", "z": "t-0"}


def test_ids_are_compared_by_utf_16_units():
    group = Group((Member("\uffff", ("t",)), Member("\U0001f600", ("t",))))
    assert told(Range().assign(Cluster.of({"t": 1}), group))["\U0001f600"] == "t-0"


def test_a_topic_listed_twice_counts_once():
    assert answer({"t": 4}, {"a": "t t", "b": "t"}) == {"a": "t-0 t-1", "b": "t-2 t-3"}


@pytest.mark.parametrize("reads", [{}, {"a": ""}, {"a": "ghost"}, {"a": "empty"}])
def test_nothing_to_give_out(reads):
    assert answer({"t": 2, "empty": 0}, reads) == dict.fromkeys(reads, "")


def test_lists_are_in_the_order_of_the_metadata():
    assert answer({"t1": 1, "t0": 1}, {"a": "t0 t1"}) == {"a": "t1-0 t0-0"}


def racked(*replica_racks: str, topics: str = "t") -> Cluster:
    """Topics whose partition i has one replica in each rack named in the i-th word."""
    racks = sorted(set("".join(replica_racks)))
    brokers = tuple(Broker(number, rack) for number, rack in enumerate(racks))
    replicas = tuple(tuple(racks.index(rack) for rack in word) for word in replica_racks)
    return Cluster(tuple(Topic(name, len(replicas), replicas) for name in topics.split()), brokers)


def in_racks(reads: dict[str, str], racks: str) -> Group:
    return Group(tuple(m._replace(rack=rack.strip()) for m, rack in zip(members(reads), racks)))


def test_racks_are_matched_within_the_share():
    group = in_racks({"m0": "t", "m1": "t"}, "ba")
    assert told(Range().assign(racked("a", "b", "a", "b"), group)) == {"m0": "t-1 t-3", "m1": "t-0 t-2"}


def test_balance_comes_before_racks():
    group = in_racks({"m0": "t", "m1": "t"}, "ab")
    assert told(Range().assign(racked("a", "a", "a", "a"), group)) == {"m0": "t-0 t-1", "m1": "t-2 t-3"}


def test_copartitioning_comes_before_racks():
    cluster = racked("a", "b")
    other = Topic("u", 2, tuple(reversed(cluster.topics[0].replicas or ())))
    found = Range().assign(
        Cluster((*cluster.topics, other), cluster.brokers), in_racks({"m0": "t u", "m1": "t u"}, "ba")
    )
    assert told(found) == {"m0": "t-0 u-0", "m1": "t-1 u-1"}


def test_racks_are_idle_where_every_partition_has_them_all_unless_preferred():
    cluster, group = racked("ab", "ba"), in_racks({"m0": "t", "m1": "t"}, "ba")
    idle = {"m0": "t-0", "m1": "t-1"}
    assert told(Range().assign(cluster, group)) == idle
    assert told(Range(prefer_rack_aware=True).assign(cluster, group)) == idle


def test_a_member_without_a_rack_matches_everything():
    group = in_racks({"m0": "t", "m1": "t"}, " a")
    assert told(Range().assign(racked("a", "b"), group)) == {"m0": "t-0", "m1": "t-1"}


@pytest.mark.slow
@given(cases())
def test_imbalance_over_topics_is_at_most_their_number(case):
    cluster, group = case
    topics = group.members[0].topics
    alike = Group(tuple(member._replace(topics=topics) for member in group.members))
    loads = [len(tps) for tps in Range().assign(cluster, alike).values()]
    assert max(loads) - min(loads) <= len(cluster.counts)


A, B, AB = frozenset("a"), frozenset("b"), frozenset("ab")


def drawn(count):
    """Subscribers, and the racks of the partitions of one or more topics of one size."""
    for seed in range(count):
        rng = Random(seed)
        members = [
            Member(f"m{i}", (), rack=rng.choice(("a", "b", "c", "", None))) for i in range(rng.randint(1, 5))
        ]
        size = rng.randint(0, 9)
        racks = [
            [frozenset(rng.sample("abc", rng.randint(0, 2))) for _ in range(size)]
            for _ in range(rng.randint(1, 3))
        ]
        yield members, size, racks


def test_what_is_matched_is_in_the_rack_in_every_topic_and_nothing_more_could_be():
    for readers, size, topics in drawn(300):
        share = Share(size, readers)
        match_racks(share, topics)
        for member in readers:
            fits = [
                p for p in range(size) if not member.rack or all(member.rack in racks[p] for racks in topics)
            ]
            assert set(share.taken[member.member_id]) <= set(fits)
            assert not share.room(member.member_id) or not set(fits) & share.free.keys()


def test_all_numbers_are_shared_in_sizes_of_blocks():
    for readers, size, topics in drawn(300):
        share = Share(size, readers)
        match_racks(share, topics)
        share.deal_rest()
        taken = share.taken.values()
        assert sorted(p for numbers in taken for p in numbers) == list(range(size))
        assert max(map(len, taken)) - min(map(len, taken)) <= 1
        assert not share.free


def test_without_racks_the_first_come_first_in_blocks_one_larger():
    share = Share(5, [Member("a", ()), Member("b", ())])
    share.deal_rest()
    assert share.taken == {"a": [0, 1, 2], "b": [3, 4]}


@pytest.mark.parametrize(
    ("consumers", "partitions", "worth"),
    [
        ("a", [A, B], (True, True)),
        ("a", [AB, AB], (False, True)),
        ("c", [A, B], (False, False)),
        ("", [A, B], (False, False)),
        ("a", [], (False, False)),
        ("b", [A, AB], (True, True)),
    ],
)
def test_racks_count_where_they_meet_and_differ(consumers, partitions, worth):
    assert tuple(worth_matching(consumers, partitions, prefer=prefer) for prefer in (False, True)) == worth


def test_only_known_topics_with_replicas_in_a_readers_rack_are_in_need():
    brokers = (Broker(1, "a"), Broker(2, "b"))
    topics = (Topic("t", 2, ((1,), (2,))), Topic("u", 2), Topic("v", 2, ((2,), (2,))), Topic("w", 0, ()))
    readers = {name: [Member("m", (), rack="a"), Member("n", ())] for name in ("t", "u", "v", "w", "ghost")}
    assert topics_in_need(Cluster(topics, brokers), readers, prefer=False) == {"t"}

"""Rack matching of range: within the blocks' sizes, as much as there is room for, and co-partitioned."""

from random import Random

import pytest

from kassay.assignors.client.range_racks import Share, match_racks, topics_in_need, worth_matching
from kassay.model.cluster import Broker, Cluster, Topic
from kassay.model.groups.group import Member

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
    for members, size, topics in drawn(300):
        share = Share(size, members)
        match_racks(share, topics)
        for member in members:
            fits = [
                p for p in range(size) if not member.rack or all(member.rack in racks[p] for racks in topics)
            ]
            assert set(share.taken[member.member_id]) <= set(fits)
            assert not share.room(member.member_id) or not set(fits) & share.free.keys()


def test_all_numbers_are_shared_in_sizes_of_blocks():
    for members, size, topics in drawn(300):
        share = Share(size, members)
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

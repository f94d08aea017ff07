"""What the sticky rules know of racks: when they match, what mismatches, and who is next."""

from random import Random

import pytest

from kassay.assignors.sticky.racks import NO_RACKS, RackInfo
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member

T0, T1, T2 = (TopicPartition("t", p) for p in range(3))
BROKERS = (Broker(1, "a"), Broker(2, "b"), Broker(3))


def info(replicas, *racks, prefer=False):
    cluster = Cluster((Topic("t", len(replicas), replicas),), BROKERS)
    members = [Member(f"m{i}", ("t",), rack=rack) for i, rack in enumerate(racks)]
    return RackInfo.of(cluster, cluster.partitions, members, prefer=prefer)


@pytest.mark.parametrize(
    ("replicas", "racks", "matched"),
    [
        (((1,), (2,)), ("a",), (True, True)),
        (((1, 2), (2, 1)), ("a",), (False, True)),
        (((1,), (2,)), ("c",), (False, False)),
        (((1,), (2,)), (None, ""), (False, False)),
        (((3,), (3,)), ("a",), (False, False)),
        (None, ("a",), (False, False)),
    ],
)
def test_racks_are_matched_where_they_meet_and_differ_or_are_preferred(replicas, racks, matched):
    cluster = Cluster((Topic("t", 2, replicas),), BROKERS)
    members = [Member(f"m{i}", ("t",), rack=rack) for i, rack in enumerate(racks)]
    for prefer in (False, True):
        found = RackInfo.of(cluster, cluster.partitions, members, prefer=prefer)
        assert (found is not NO_RACKS) == matched[prefer]


def test_a_member_without_a_rack_mismatches_nothing():
    racks = info(((1,), (2,), (1, 2)), "a", None)
    assert [racks.mismatch("m0", tp) for tp in (T0, T1, T2)] == [False, True, False]
    assert not any(racks.mismatch("m1", tp) for tp in (T0, T1, T2))
    assert racks.of_partition(TopicPartition("ghost", 0)) == frozenset()


def test_partitions_with_the_fewest_members_in_their_racks_come_first():
    racks = info(((1, 2), (2,), (1,), (3,)), "a", "a", "b")
    assert [tp.partition for tp in racks.rarest_first([T0, T1, T2, TopicPartition("t", 3)])] == [3, 1, 2, 0]
    alike = info(((1,), (2,), (1,)), "a", "b")
    assert alike.rarest_first([T2, T1, T0]) == [T2, T1, T0]


def test_the_next_member_is_the_first_match_going_round():
    for seed in range(60):
        rng = Random(seed)
        racks = [rng.choice(("a", "b", None)) for _ in range(rng.randint(1, 5))]
        found = info(((1,), (2,), (3,)), *racks, prefer=True)
        if found is NO_RACKS:
            continue
        ids = [f"m{i}" for i in range(len(racks))]
        for tp in (T0, T1, T2):
            for first in range(len(ids) + 1):
                round_ = [*range(first, len(ids)), *range(min(first, len(ids)))]
                expected = [place for place in round_ if racks[place] in found.of_partition(tp)]
                assert found.next_member(tp, ids, first) == next(iter(expected), None)

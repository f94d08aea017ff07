"""Where subscriptions differ: everything dealt to readers, no single move helps, and nothing moves for nothing.

The lightest member at hand is the one that a look at all of them finds.

Moves are recorded from first to present owner, and one the other way sends back what came from there.
"""

from random import Random

import pytest

from kassay.assignors.groups.client.sticky import ConstrainedDeal
from kassay.assignors.groups.client.sticky_general import GeneralBalance, Heap, Lightest, PartitionMovements
from kassay.assignors.groups.client.sticky_owned import NO_RACKS, RackInfo, weigh_owned
from kassay.assignors.java_errors import NullPointerError
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Member
from tests.assignors.groups.client.cases import drawn, read
from tests.assignors.groups.client.groups import tps


def balanced(partitions, members, reported, racks=NO_RACKS):
    return GeneralBalance(partitions, members, reported, racks, reported.highest).run()


@pytest.mark.parametrize("racks", [False, True])
def test_everything_is_dealt_to_readers_and_no_single_move_helps(racks):
    for cluster, partitions, members, reported in drawn(150, equal=False, racks=racks):
        info = RackInfo.of(cluster, partitions, members, prefer=False)
        given = balanced(partitions, members, reported, info)
        topics = {member.member_id: member.topics for member in members}
        dealt = sorted(tp for own in given.values() for tp in own)
        assert dealt == sorted(tp for own in partitions.values() for tp in own)
        assert all(tp.topic in topics[member] for member, own in given.items() for tp in own)
        for owner, own in given.items():
            readers = [m for m in topics for tp in own if tp.topic in topics[m]]
            assert all(len(own) - len(given[m]) <= 1 for m in readers), owner


def test_a_group_without_a_move_that_helps_keeps_all_that_it_has():
    for _, partitions, members, reported in drawn(80, equal=False):
        given = balanced(partitions, members, reported)
        settled = tuple(m._replace(owned=tuple(given[m.member_id])) for m in members)
        again = balanced(partitions, settled, weigh_owned(settled, partitions, read))
        assert {m: set(own) for m, own in again.items()} == {m: set(own) for m, own in given.items()}


def test_with_equal_subscriptions_loads_are_those_of_the_other_branch():
    for _, partitions, members, reported in drawn(80, equal=True):
        deal = ConstrainedDeal(partitions, weigh_owned(members, partitions, read), NO_RACKS)
        deal.run()
        given = balanced(partitions, members, reported)
        assert sorted(map(len, given.values())) == sorted(map(len, deal.assignment.values()))


def test_a_former_owner_gets_its_partition_back_before_others_as_light():
    """All is with `now`; t-0 was with `old` one generation ago."""
    group = (
        Member("now", ("t",), tps("t-0 t-1 t-2 t-3"), 2),
        Member("lone", ("t",), (), 2),
        Member("old", ("t",), tps("t-0"), 1),
    )
    cluster = Cluster.of({"t": 4})
    given = balanced(cluster.partitions, group, weigh_owned(group, cluster.counts, read))
    assert given == {"lone": [*tps("t-1")], "now": [*tps("t-2 t-3")], "old": [*tps("t-0")]}


def test_a_former_owner_that_was_set_aside_is_a_null_pointer():
    group = (
        Member("old", ("solo",), tps("t-0"), 1),
        Member("rich", ("t", "u"), tps("t-0 t-1 t-2 u-0"), 2),
        Member("poor", ("t", "u"), (), 2),
    )
    cluster = Cluster.of({"solo": 1, "t": 3, "u": 1})
    with pytest.raises(NullPointerError, match="old takes no part in balancing"):
        balanced(cluster.partitions, group, weigh_owned(group, cluster.counts, read))


def lightest(owned, members):
    return min(members, key=lambda member: (len(owned[member]), member))


def test_whoever_is_loaded_is_the_lightest_of_all():
    for seed in range(40):
        rng = Random(seed)
        owned = {member: [None] * rng.randint(0, 4) for member in range(rng.randint(1, 5))}
        heap = Heap(owned, reversed(owned))
        for _ in range(12):
            expected = lightest(owned, owned)
            assert heap.lightest() == (len(owned[expected]), expected)
            assert heap.load_lightest() == expected
            owned[expected].append(None)


def test_the_lightest_is_known_while_loads_rise_and_fall():
    for seed in range(40):
        rng = Random(seed)
        owned = {member: [None] * rng.randint(0, 4) for member in range(6)}
        ours = rng.sample(range(6), 4)
        lowest = Lightest(owned, ours)
        for _ in range(30):
            member = rng.randrange(6)
            if owned[member] and rng.random() < 0.5:
                owned[member].pop()
            else:
                owned[member].append(None)
            lowest.changed(member)
            if rng.random() < 0.7:
                assert lowest.first() == lightest(owned, ours)


T0, T1, T2, U0 = tps("t-0 t-1 t-2 u-0")


def test_what_came_from_there_goes_back_in_place_of_another_of_its_topic():
    moves = PartitionMovements()
    moves.record(T0, 1, 2)
    moves.record(T1, 1, 2)
    assert moves.to_be_moved(T2, 2, 1) == T1, "a Java HashSet of both begins with it"
    assert moves.to_be_moved(T2, 1, 2) == T2
    assert moves.to_be_moved(T2, 2, 3) == T2
    assert moves.to_be_moved(U0, 2, 1) == U0, "another topic"
    moves.record(T1, 2, 1)
    assert moves.to_be_moved(T2, 2, 1) == T0


def test_a_partition_that_moved_before_counts_from_its_first_owner():
    moves = PartitionMovements()
    moves.record(T0, 1, 2)
    moves.record(T0, 2, 3)
    moves.record(T1, 3, 2)
    assert moves.to_be_moved(T2, 3, 1) == T0, "it came from 1"
    assert moves.to_be_moved(T2, 3, 2) == T2, "it did not come from 2"
    moves.record(T2, 3, 1)
    assert moves.to_be_moved(T0, 3, 3) == T2, "from 1, where it was first, to 3"


def test_the_record_holds_the_first_and_the_present_owner_of_all_that_is_away():
    """Against a list of where each partition began; a partition sent back really came that way."""
    for seed in range(60):
        rng = Random(seed)
        home = {TopicPartition(t, p): rng.randrange(3) for t in "tu" for p in range(4)}
        owner, moves = dict(home), PartitionMovements()
        for _ in range(25):
            asked, target = rng.choice(list(home)), rng.randrange(3)
            if target == owner[asked]:
                continue
            moving = moves.to_be_moved(asked, owner[asked], target)
            source = home[asked] if owner[asked] != home[asked] else owner[asked]
            back = {
                tp for tp in home if tp.topic == asked.topic and (home[tp], owner[tp]) == (target, source)
            }
            back -= {tp for tp in back if owner[tp] == home[tp]}
            assert moving in back if back else moving == asked
            if owner[moving] != target:
                moves.record(moving, owner[moving], target)
                owner[moving] = target

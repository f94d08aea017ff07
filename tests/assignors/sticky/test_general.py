"""Where subscriptions differ: everything dealt to readers, no single move helps, and nothing moves for nothing."""

import pytest

from kassay.assignors.java_errors import NullPointerError
from kassay.assignors.sticky.claims import weigh_claims
from kassay.assignors.sticky.constrained import ConstrainedDeal
from kassay.assignors.sticky.general import GeneralBalance
from kassay.assignors.sticky.racks import NO_RACKS, RackInfo
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Member
from tests.assignors.client.groups import tps
from tests.assignors.sticky.cases import drawn, read


def balanced(partitions, members, claims, racks=NO_RACKS):
    return GeneralBalance(partitions, members, claims, racks, claims.highest).run()


@pytest.mark.parametrize("racks", [False, True])
def test_everything_is_dealt_to_readers_and_no_single_move_helps(racks):
    for cluster, partitions, members, claims in drawn(150, equal=False, racks=racks):
        info = RackInfo.of(cluster, partitions, members, prefer=False)
        given = balanced(partitions, members, claims, info)
        topics = {member.member_id: member.topics for member in members}
        dealt = sorted(tp for own in given.values() for tp in own)
        assert dealt == sorted(tp for own in partitions.values() for tp in own)
        assert all(tp.topic in topics[member] for member, own in given.items() for tp in own)
        for owner, own in given.items():
            readers = [m for m in topics for tp in own if tp.topic in topics[m]]
            assert all(len(own) - len(given[m]) <= 1 for m in readers), owner


def test_a_group_without_a_move_that_helps_keeps_all_that_it_has():
    for _, partitions, members, claims in drawn(80, equal=False):
        given = balanced(partitions, members, claims)
        settled = tuple(m._replace(owned=tuple(given[m.member_id])) for m in members)
        again = balanced(partitions, settled, weigh_claims(settled, partitions, read))
        assert {m: set(own) for m, own in again.items()} == {m: set(own) for m, own in given.items()}


def test_with_equal_subscriptions_loads_are_those_of_the_other_branch():
    for _, partitions, members, claims in drawn(80, equal=True):
        deal = ConstrainedDeal(partitions, weigh_claims(members, partitions, read), NO_RACKS)
        deal.run()
        given = balanced(partitions, members, claims)
        assert sorted(map(len, given.values())) == sorted(map(len, deal.assignment.values()))


def test_a_former_owner_gets_its_partition_back_before_others_as_light():
    """All is with `now`; t-0 was with `old` one generation ago."""
    group = (
        Member("now", ("t",), tps("t-0 t-1 t-2 t-3"), 2),
        Member("lone", ("t",), (), 2),
        Member("old", ("t",), tps("t-0"), 1),
    )
    cluster = Cluster.of({"t": 4})
    given = balanced(cluster.partitions, group, weigh_claims(group, cluster.counts, read))
    assert given == {"lone": [*tps("t-1")], "now": [*tps("t-2 t-3")], "old": [*tps("t-0")]}


def test_a_former_owner_that_was_set_aside_is_a_null_pointer():
    group = (
        Member("old", ("solo",), tps("t-0"), 1),
        Member("rich", ("t", "u"), tps("t-0 t-1 t-2 u-0"), 2),
        Member("poor", ("t", "u"), (), 2),
    )
    cluster = Cluster.of({"solo": 1, "t": 3, "u": 1})
    with pytest.raises(NullPointerError, match="old takes no part in balancing"):
        balanced(cluster.partitions, group, weigh_claims(group, cluster.counts, read))

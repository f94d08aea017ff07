"""Where all subscriptions are equal: quotas, what is kept within them, and what is noted as moving."""

import pytest

from kassay.assignors.java_errors import DivisionByZeroError, IllegalStateError
from kassay.assignors.sticky.claims import weigh_claims
from kassay.assignors.sticky.constrained import ConstrainedDeal
from kassay.assignors.sticky.racks import NO_RACKS, RackInfo
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Member
from tests.assignors.client.groups import tps
from tests.assignors.sticky.cases import drawn, read


@pytest.mark.parametrize("racks", [False, True])
def test_everything_is_dealt_within_one_and_what_changes_owners_is_noted(racks):
    for cluster, partitions, members, claims in drawn(150, equal=True, racks=racks):
        before = {tp: m.member_id for m in members for tp in m.owned}
        info = RackInfo.of(cluster, partitions, members, prefer=False)
        deal = ConstrainedDeal(partitions, claims, info)
        deal.run()
        after = {tp: member for member, own in deal.assignment.items() for tp in own}
        sizes = [len(own) for own in deal.assignment.values()]
        assert len(after) == sum(sizes) == sum(map(len, partitions.values()))
        assert max(sizes) - min(sizes) <= 1
        moved = {tp: member for tp, member in after.items() if before.get(tp, member) != member}
        assert deal.transferring == moved


def test_without_racks_a_member_keeps_what_its_quota_holds():
    for _, partitions, members, claims in drawn(150, equal=True):
        deal = ConstrainedDeal(partitions, claims, NO_RACKS)
        deal.run()
        least = sum(map(len, partitions.values())) // len(members)
        for member in members:
            kept = set(member.owned) & set(deal.assignment[member.member_id])
            assert len(kept) >= min(len(member.owned), least)
            assert len(deal.assignment[member.member_id]) == len(kept) or kept == set(member.owned)


def test_a_matching_partition_is_dealt_to_a_member_in_its_rack_first():
    """Six partitions, each with one replica and three members in three racks: all of them match."""
    for cluster, partitions, members, _ in drawn(100, equal=True, racks=True):
        fresh = tuple(member._replace(owned=()) for member in members)
        racks = [member.rack for member in members]
        size = sum(map(len, partitions.values()))
        homes = [
            next(iter(cluster.replica_racks[t][tp.partition])) for t, own in partitions.items() for tp in own
        ]
        info = RackInfo.of(cluster, partitions, fresh, prefer=True)
        deal = ConstrainedDeal(partitions, weigh_claims(fresh, partitions, read), info)
        deal.run()
        matched = sum(not info.mismatch(m, tp) for m, own in deal.assignment.items() for tp in own)
        if len(set(racks)) == len(racks):  # each rack has one member: what fits its quota is its own
            least = size // len(racks)
            assert matched >= sum(min(homes.count(rack), least) for rack in racks)


def test_contested_partitions_are_nobodys_and_count_as_moving():
    group = (Member("a", ("t",), tps("t-0 t-1"), 3), Member("b", ("t",), tps("t-1"), 3))
    cluster = Cluster.of({"t": 2})
    deal = ConstrainedDeal(cluster.partitions, weigh_claims(group, cluster.counts, read), NO_RACKS)
    deal.run()
    assert deal.assignment == {"a": [*tps("t-0")], "b": [*tps("t-1")]}
    assert deal.transferring == {tps("t-1")[0]: "b"}


def test_kafkas_errors():
    nobody = weigh_claims((), (), read)
    with pytest.raises(DivisionByZeroError, match="no members"):
        ConstrainedDeal({}, nobody, NO_RACKS)
    group = (Member("a", ("t",), tps("t-9"), 3),)
    cluster = Cluster.of({"t": 1})
    with pytest.raises(IllegalStateError, match="No more unfilled consumers"):
        ConstrainedDeal(cluster.partitions, weigh_claims(group, cluster.counts, read), NO_RACKS).run()

"""Sticky: balance first, then what everybody had; conflicting ownership as Kafka settles them.

Where all subscriptions are equal: quotas, what is kept within them, and what is noted as moving.

Which branch of the sticky rule runs, and what its object remembers.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.groups.client.sticky import ConstrainedDeal, Sticky, StickyRule
from kassay.assignors.groups.client.sticky_owned import (
    NO_RACKS,
    RackInfo,
    decode_sticky,
    sticky_user_data,
    weigh_owned,
)
from kassay.assignors.java_errors import DivisionByZeroError, IllegalStateError, NullPointerError
from kassay.model.cluster import Broker, Cluster, Topic
from kassay.model.errors import KafkaError
from kassay.model.groups.assignor import GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member, previous_owners
from tests.assignors.groups.client.cases import drawn, read
from tests.assignors.groups.client.groups import (
    as_sticky,
    carrying,
    cases,
    members,
    problems,
    rebalance,
    told,
    tps,
)


def first(counts, reads):
    return Sticky().assign(Cluster.of(counts), Group(members(reads)))


def after_leaving(counts, reads, *gone):
    """The first assignment, and the one after these members left."""
    before = first(counts, reads)
    left = [m for m in carrying(members(reads), before, 1) if m.member_id not in gone]
    return before, Sticky().assign(Cluster.of(counts), Group(tuple(left)))


def moved(before: Assignment, after: Assignment) -> int:
    owner = after.owners()
    return sum(owner[tp] != m for tp, m in before.owners().items() if m in after)


def improvable(group: Group, answer: Assignment) -> bool:
    """Whether moving a single partition to a subscriber would help (KIP-54)."""
    return any(
        len(answer[reader.member_id]) + 1 < len(own)
        for own in answer.values()
        for tp in own
        for reader in group.members
        if tp.topic in reader.topics
    )


@pytest.mark.slow
@given(cases(consistent=True, nonempty=True))
def test_everything_is_given_out_once_to_subscribers(case):
    cluster, group = case
    assert problems(cluster, group, Sticky().assign(cluster, as_sticky(group))) == []


@given(cases(consistent=True, nonempty=True))
def test_no_single_move_helps(case):
    cluster, group = case
    assert not improvable(group, Sticky().assign(cluster, as_sticky(group)))


@given(cases(consistent=True, equal=True))
def test_equal_subscriptions_are_balanced_within_one(case):
    cluster, group = case
    loads = [len(found) for found in Sticky().assign(cluster, as_sticky(group)).values()]
    assert max(loads) - min(loads) <= 1


@given(cases(consistent=True, equal=True, racks=False))
def test_with_equal_subscriptions_nobody_loses_what_fits_the_quota(case):
    cluster, group = case
    answer = Sticky().assign(cluster, as_sticky(group))
    quota, larger = divmod(sum(map(len, answer.values())), len(group.members))
    for member in group.members:
        kept = set(member.owned) & set(answer[member.member_id])
        assert len(kept) >= min(len(member.owned), quota)
    owning_more = sum(len(member.owned) > quota for member in group.members)
    keeping_more = sum(len(set(m.owned) & set(answer[m.member_id])) > quota for m in group.members)
    assert keeping_more == min(owning_more, larger)


@pytest.mark.slow
@given(cases(consistent=True, nonempty=True, racks=False), st.integers(1, 5))
def test_a_settled_group_stays_as_it_is(case, generation):
    cluster, group = case
    answer = Sticky().assign(cluster, as_sticky(group))
    again = Group(carrying(group.members, answer, generation))
    assert Sticky().assign(cluster, again).same_sets(answer)


@pytest.mark.slow
@given(cases())
def test_any_ownership_gets_an_answer_or_one_of_kafkas_errors(case):
    """With conflicting ownership Kafka may err, but each partition that is given out has been asked for."""
    cluster, group = case
    sent = as_sticky(group)
    try:
        answer = Sticky().assign(cluster, sent)
    except KafkaError as raised:
        assert raised.java_class.startswith("java.")
        return
    owned = {tp for member in group.members for tp in member.owned}
    known = {tp for found in cluster.partitions.values() for tp in found}
    assert {tp for own in answer.values() for tp in own} <= known | owned
    assert answer.keys() == {member.member_id for member in group.members}
    assert Sticky().assign(cluster, sent) == answer


@pytest.mark.slow
@given(cases(consistent=True, nonempty=True))
def test_objects_carry_their_assignments_from_round_to_round(case):
    cluster, group = case
    objects = {member.member_id: Sticky() for member in group.members}
    answer = rebalance(objects, cluster, group.members, 1)
    for member_id, own in answer.items():
        report = decode_sticky(objects[member_id].subscription_user_data(("t",)))
        assert (set(report.owned), report.generation) == (set(own), 1)
    owners = previous_owners(cluster, Group(carrying(group.members, answer, 1)))
    again = rebalance(objects, cluster, group.members, 2)
    if not any(member.rack for member in group.members):
        assert again.owners() == owners


def test_before_its_first_assignment_a_member_sends_nothing():
    assert Sticky().subscription_user_data(("t",)) is None


def test_an_empty_assignment_is_sent_too():
    assignor = Sticky()
    assignor.on_assignment((), None, GroupMetadata(3, "m"))
    assert assignor.subscription_user_data(("t",)) == sticky_user_data((), 3) != b""


def test_kip_54_example_1_with_equal_subscriptions():
    counts, reads = (
        dict.fromkeys(("t0", "t1", "t2", "t3"), 2),
        dict.fromkeys(("C0", "C1", "C2"), "t0 t1 t2 t3"),
    )
    before, after = after_leaving(counts, reads, "C1")
    assert told(before) == {"C0": "t0-0 t1-1 t3-0", "C1": "t0-1 t2-0 t3-1", "C2": "t1-0 t2-1"}
    assert moved(before, after) == 0
    assert {m: len(own) for m, own in after.items()} == {"C0": 4, "C2": 4}


def test_kip_54_example_2_with_different_subscriptions():
    counts, reads = {"t0": 1, "t1": 2, "t2": 3}, {"C0": "t0", "C1": "t0 t1", "C2": "t0 t1 t2"}
    before, after = after_leaving(counts, reads, "C0")
    assert told(before) == {"C0": "t0-0", "C1": "t1-0 t1-1", "C2": "t2-0 t2-1 t2-2"}
    assert told(after) == {"C1": "t1-0 t1-1 t0-0", "C2": "t2-0 t2-1 t2-2"}


def test_when_one_of_three_leaves_only_its_partition_moves():
    before, after = after_leaving({"A": 2, "B": 2}, dict.fromkeys(("C1", "C2", "C3"), "A B"), "C2")
    assert told(before) == {"C1": "A-0 B-1", "C2": "A-1", "C3": "B-0"}
    assert {m: set(own) for m, own in after.items()} == {"C1": set(tps("A-0 B-1")), "C3": set(tps("B-0 A-1"))}


def reporting(member_id: str, topics: str, owned: str, generation: int, stated: int | None = None) -> Member:
    """A member with this generation in its user data and `stated` (or the same) in its subscription."""
    return Member(
        member_id,
        tuple(topics.split()),
        generation=generation if stated is None else stated,
        user_data=sticky_user_data(tps(owned), generation),
    )


def answer(counts, *group: Member, **options: bool) -> dict[str, str]:
    return told(Sticky(**options).assign(Cluster.of(counts), Group(group)))


def test_the_newer_generation_wins_a_partition_owned_twice():
    stale, newer = reporting("a", "t", "t-0 t-1", 1), reporting("b", "t", "t-0", 2)
    assert answer({"t": 2}, stale, newer) == {"a": "t-1", "b": "t-0"}
    assert answer({"t": 2}, newer, stale) == {"b": "t-0", "a": "t-1"}


def test_the_earlier_reporters_generation_is_read_from_its_subscription():
    """Its user data says 1, its subscription 3: the later owner, of generation 2, goes without."""
    assert answer({"t": 2}, reporting("b", "t", "t-1", 1, stated=3), reporting("a", "t", "t-1", 2)) == {
        "b": "t-1",
        "a": "t-0",
    }


def test_only_the_user_data_is_believed():
    member = Member("b", ("t",), owned=tps("t-0"), generation=2)
    assert answer({"t": 2}, Member("a", ("t",)), member) == {"a": "t-0", "b": "t-1"}


def test_of_several_members_with_too_much_the_first_visited_keeps_one_more():
    """Order of the leader's map: five partitions for three members leave two that may have two."""
    group = (
        reporting("c", "t", "t-0 t-1", 1),
        reporting("b", "t", "t-2 t-3", 1),
        reporting("a", "t", "t-4", 1),
    )
    assert answer({"t": 5}, *group) == {"c": "t-0 t-1", "b": "t-2 t-3", "a": "t-4"}
    crowded = (reporting("b", "t", "t-2 t-3", 1), reporting("c", "t", "t-0 t-1", 1), Member("a", ("t",)))
    assert answer({"t": 4}, *crowded)["b"] == "t-2 t-3"
    assert answer({"t": 4}, *crowded[::-1])["c"] == "t-0 t-1"


def test_empty_subscriptions_ahead_of_others_do_not_count_as_different():
    """Kafka's bug: the member that reads nothing gets its share."""
    group = (Member("a", ()), Member("b", ("t",)))
    assert answer({"t": 2}, *group) == {"a": "t-0", "b": "t-1"}
    assert answer({"t": 2}, *group[::-1]) == {"a": "", "b": "t-0 t-1"}


def test_an_owned_partition_beyond_the_topic_is_kept_with_different_subscriptions_and_an_error_with_equal_ones():
    odd = reporting("a", "t", "t-0 t-9", 1)
    assert "t-9" in answer({"t": 2, "u": 1}, odd, Member("b", ("t", "u")))["a"]
    with pytest.raises(IllegalStateError, match="No more unfilled consumers"):
        answer({"t": 1}, reporting("a", "t", "t-9", 1))


def test_a_former_owner_that_takes_no_part_in_balancing_is_a_null_pointer():
    """`old` owned t-0 in an older generation and reads only `solo` now, which nobody else reads."""
    group = (
        reporting("old", "solo", "t-0", 1),
        reporting("rich", "t u", "t-0 t-1 t-2 u-0", 2),
        reporting("poor", "t u", "", 2),
    )
    with pytest.raises(NullPointerError, match="old takes no part in balancing"):
        answer({"solo": 1, "t": 3, "u": 1}, *group)


def test_a_group_without_members_is_a_division_by_zero():
    with pytest.raises(DivisionByZeroError):
        answer({"t": 1})


def test_the_highest_generation_that_the_leader_saw_stays_with_it():
    """Kafka's `maxGeneration` outlives a call: reports of 2 are old to an object that has seen 9."""
    group = (reporting("a", "t u", "t-0 t-1", 2), reporting("b", "u", "u-0", 2))
    cluster = Cluster.of({"t": 2, "u": 1})
    leader = Sticky()
    leader.assign(cluster, Group((reporting("z", "t", "", 9),)))
    assert told(leader.assign(cluster, Group(group))) == told(Sticky().assign(cluster, Group(group)))


RACKS = (Broker(0, "r0"), Broker(1, "r1"))


def in_rack(member: Member, rack: str) -> Member:
    return member._replace(rack=rack)


def test_owned_partitions_in_the_wrong_rack_move_at_the_same_balance():
    cluster = Cluster((Topic("t", 2, ((0,), (1,))),), RACKS)
    group = Group(
        (in_rack(reporting("a", "t", "t-1", 1), "r0"), in_rack(reporting("b", "t", "t-0", 1), "r1"))
    )
    assert told(Sticky().assign(cluster, group)) == {"a": "t-0", "b": "t-1"}


def test_with_different_subscriptions_too():
    cluster = Cluster((Topic("t", 2, ((0,), (1,))), Topic("u", 1, ((1,),))), RACKS)
    group = Group(
        (in_rack(reporting("a", "t", "t-1", 1), "r0"), in_rack(reporting("b", "t u", "t-0 u-0", 1), "r1"))
    )
    assert told(Sticky().assign(cluster, group)) == {"a": "t-0", "b": "u-0 t-1"}


def test_balance_comes_before_racks():
    cluster = Cluster((Topic("t", 4, ((0,),) * 4),), RACKS)
    group = Group((in_rack(reporting("a", "t", "", 1), "r0"), in_rack(reporting("b", "t", "", 1), "r1")))
    assert [len(own) for own in Sticky().assign(cluster, group).values()] == [2, 2]


def test_racks_are_idle_where_every_partition_has_them_all_unless_preferred():
    cluster = Cluster((Topic("t", 2, ((0, 1), (1, 0))),), RACKS)
    group = Group(
        (in_rack(reporting("a", "t", "t-1", 1), "r0"), in_rack(reporting("b", "t", "t-0", 1), "r1"))
    )
    for prefer in (False, True):
        assert told(Sticky(prefer_rack_aware=prefer).assign(cluster, group)) == {"a": "t-1", "b": "t-0"}


@pytest.mark.parametrize("racks", [False, True])
def test_everything_is_dealt_within_one_and_what_changes_owners_is_noted(racks):
    for cluster, partitions, readers, reported in drawn(150, equal=True, racks=racks):
        before = {tp: m.member_id for m in readers for tp in m.owned}
        info = RackInfo.of(cluster, partitions, readers, prefer=False)
        deal = ConstrainedDeal(partitions, reported, info)
        deal.run()
        after = {tp: member for member, own in deal.assignment.items() for tp in own}
        sizes = [len(own) for own in deal.assignment.values()]
        assert len(after) == sum(sizes) == sum(map(len, partitions.values()))
        assert max(sizes) - min(sizes) <= 1
        moved = {tp: member for tp, member in after.items() if before.get(tp, member) != member}
        assert deal.transferring == moved


def test_without_racks_a_member_keeps_what_its_quota_holds():
    for _, partitions, readers, reported in drawn(150, equal=True):
        deal = ConstrainedDeal(partitions, reported, NO_RACKS)
        deal.run()
        least = sum(map(len, partitions.values())) // len(readers)
        for member in readers:
            kept = set(member.owned) & set(deal.assignment[member.member_id])
            assert len(kept) >= min(len(member.owned), least)
            assert len(deal.assignment[member.member_id]) == len(kept) or kept == set(member.owned)


def test_a_matching_partition_is_dealt_to_a_member_in_its_rack_first():
    """Six partitions, each with one replica and three members in three racks: all of them match."""
    for cluster, partitions, readers, _ in drawn(100, equal=True, racks=True):
        fresh = tuple(member._replace(owned=()) for member in readers)
        racks = [member.rack for member in readers]
        size = sum(map(len, partitions.values()))
        homes = [
            next(iter(cluster.replica_racks[t][tp.partition])) for t, own in partitions.items() for tp in own
        ]
        info = RackInfo.of(cluster, partitions, fresh, prefer=True)
        deal = ConstrainedDeal(partitions, weigh_owned(fresh, partitions, read), info)
        deal.run()
        matched = sum(not info.mismatch(m, tp) for m, own in deal.assignment.items() for tp in own)
        if len(set(racks)) == len(racks):  # each rack has one member: what fits its quota is its own
            least = size // len(racks)
            assert matched >= sum(min(homes.count(rack), least) for rack in racks)


def test_contested_partitions_are_nobodys_and_count_as_moving():
    group = (Member("a", ("t",), tps("t-0 t-1"), 3), Member("b", ("t",), tps("t-1"), 3))
    cluster = Cluster.of({"t": 2})
    deal = ConstrainedDeal(cluster.partitions, weigh_owned(group, cluster.counts, read), NO_RACKS)
    deal.run()
    assert deal.assignment == {"a": [*tps("t-0")], "b": [*tps("t-1")]}
    assert deal.transferring == {tps("t-1")[0]: "b"}


def test_kafkas_errors():
    nobody = weigh_owned((), (), read)
    with pytest.raises(DivisionByZeroError, match="no members"):
        ConstrainedDeal({}, nobody, NO_RACKS)
    group = (Member("a", ("t",), tps("t-9"), 3),)
    cluster = Cluster.of({"t": 1})
    with pytest.raises(IllegalStateError, match="No more unfilled consumers"):
        ConstrainedDeal(cluster.partitions, weigh_owned(group, cluster.counts, read), NO_RACKS).run()


def rule(**more):
    return StickyRule(read, **({"prefer_rack_aware": False} | more))


def test_only_the_branch_of_equal_subscriptions_tracks_what_changes_owners():
    for equal in (True, False):
        for cluster, partitions, readers, reported in drawn(60, equal=equal):
            outcome = rule().assign(cluster, Group(readers))
            assert (outcome.transferring is None) != reported.equal_subscriptions
            dealt = sorted(tp for own in outcome.assignment.values() for tp in own)
            assert dealt == sorted(tp for own in partitions.values() for tp in own)


def answer_of(leader, cluster, group):
    """Everybody's partitions but z's, or Kafka's error."""
    try:
        assignment = leader.assign(cluster, group).assignment
    except NullPointerError as error:
        return str(error)
    return {member: tps for member, tps in assignment.items() if member != "z"}


def test_what_a_leader_has_seen_makes_present_ownership_old():
    """To an object that has seen 9, reports of 5 are as old as to a group in which somebody has 9."""
    stranger = Member("z", (), (), 9)
    differ = 0
    for cluster, _, readers, _ in drawn(300, equal=False):
        # Who no longer reads what it owns may be its former owner.
        group = Group(tuple(m._replace(topics=m.topics[1:] or m.topics) for m in readers))
        if group.equal_subscriptions:
            continue
        seen = rule()
        seen.assign(cluster, Group((stranger,)))
        answer = answer_of(seen, cluster, group)
        assert answer_of(rule(), cluster, Group((*group.members, stranger))) == answer
        differ += answer != answer_of(rule(), cluster, group)
    assert differ


def test_racks_are_idle_where_every_partition_is_everywhere_unless_preferred():
    """With racks, partitions are dealt by how rare they are; b has no rack, so only a is in one."""
    brokers = (Broker(1, "r"), Broker(2, "s"))
    cluster = Cluster((Topic("t", 2, ((1, 2), (2, 1))),), brokers)
    group = Group((Member("b", ("t",), rack="r"), Member("a", ("t",))))
    assert rule().assign(cluster, group).assignment == {"b": [*tps("t-1")], "a": [*tps("t-0")]}
    preferred = rule(prefer_rack_aware=True).assign(cluster, group).assignment
    assert preferred == {"b": [*tps("t-0")], "a": [*tps("t-1")]}

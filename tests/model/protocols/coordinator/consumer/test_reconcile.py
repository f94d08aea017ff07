"""A member of a consumer group on its way to its target: it gives up first, and gets nothing that is not free."""

from __future__ import annotations

from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.coordinator.consumer.reconcile import Reads, reconcile
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.effects import Effects
from kassay.model.protocols.values.groups import (
    MEMBER_STABLE,
    RECONCILING,
    STABLE,
    UNRELEASED,
    UNREVOKED,
)
from kassay.model.protocols.values.requests import Config
from tests.model.protocols.coordinator.consumer.heartbeats import (
    ack,
    holders,
    settle,
    split,
)
from tests.model.protocols.coordinator.drive import Drive, FirstChoices, tps


def test_scenario_58_joining_a_full_group_never_makes_two_holders():
    drive = split()
    assert (drive.member("b").state, drive.member("b").assigned) == (UNRELEASED, ())
    for member, state in [("a", UNREVOKED), ("b", UNRELEASED), ("a", MEMBER_STABLE), ("b", MEMBER_STABLE)]:
        ack(drive, member)
        assert drive.member(member).state == state
        assert all(len(members) == 1 for members in holders(drive).values())
    assert group_state(drive.consumer) == STABLE
    assert (drive.member("a").assigned, drive.member("b").assigned) == (tps(0, 2), tps(1, 3))


def test_scenario_58_silence_is_not_an_acknowledgement():
    drive = split()
    ack(drive, "a")
    assert drive.modern("a", 2).error == errors.NONE
    assert drive.modern("a", 2, topic_partitions=tps(0, 1)).error == errors.NONE
    assert (drive.member("a").state, drive.member("a").epoch) == (UNREVOKED, 2)


def test_scenario_62_a_newer_target_waits_for_the_revocation():
    for switches, between in ((frozenset(), 2), (frozenset({"revocation_counts_up"}), 3)):
        drive = Drive(Config(switches=switches))
        drive.modern("a"), drive.modern("b"), ack(drive, "a")
        revoking = drive.member("a").pending
        drive.modern("c")
        assert drive.modern("a", 2, topic_partitions=tps(0, 1, 2, 3)).assignment is None
        assert drive.member("a").pending == revoking
        ack(drive, "a")
        assert drive.member("a").epoch == between, "one more partition to give up on the way"
        ack(drive, "a")
        assert (drive.member("a").epoch, drive.member("a").assigned) == (4, tps(0, 3))
        settle(drive)


def test_what_a_member_has_still_to_give_up_itself_is_given_back_at_once():
    for switches, given in ((frozenset(), tps(0, 1)), (frozenset({"own_pending_blocks"}), tps(0))):
        drive = Drive(Config(switches=switches), {"foo": 2})
        drive.modern("a")
        drive.choices.targets = {"a": tps(0), "b": tps(1)}
        drive.modern("b"), ack(drive, "a")
        assert drive.member("a").pending == tps(1)
        drive.choices.targets = {"a": tps(0, 1), "b": (), "c": ()}
        drive.modern("c")
        assert ack(drive, "a").assignment == (given if given != tps(0) else None)
        assert drive.member("a").assigned == given
        ack(drive, "a")
        assert drive.member("a").assigned == tps(0, 1)
        epoch = drive.consumer.epoch
        assert drive.member("a").assignment_epochs == {tps(0)[0]: 2, tps(1)[0]: epoch}


def test_ignored_release_makes_two_holders():
    drive = Drive(Config(switches=frozenset({"ignore_unreleased"})))
    drive.modern("a"), drive.modern("b")
    assert any(len(members) == 2 for members in holders(drive).values())


def test_an_ignored_acknowledgement_is_stuck_until_the_timer():
    drive = Drive(Config(switches=frozenset({"recompute_on_new_target"})))
    drive.modern("a"), drive.modern("b")
    ack(drive, "a")
    drive.modern("c")
    for _ in range(5):
        ack(drive, "a")
    assert drive.member("a").state == UNREVOKED
    assert group_state(drive.consumer) == RECONCILING


def test_a_lost_epoch_gives_a_partition_away_twice():
    drive = Drive(Config(switches=frozenset({"pend_reassign_loses_epoch"})), {"foo": 2})
    drive.modern("a")
    drive.choices.targets = {"a": tps(0), "b": tps(1)}
    drive.modern("b")
    ack(drive, "a")
    drive.choices.targets = {"a": tps(0, 1), "b": (), "c": ()}
    drive.modern("c")
    ack(drive, "a")
    drive.choices.targets = {"a": tps(0), "b": tps(1), "c": (), "d": ()}
    drive.modern("d")
    ack(drive, "b")
    assert len(holders(drive)[tps(1)[0]]) > 1


def test_who_still_gives_up_what_it_had_gives_up_more_only_where_it_reads_something_else():
    """`CurrentAssignmentBuilder` asks whether the subscription changed, not which topics there still are."""
    drive = split()
    ack(drive, "a")
    member = drive.member("a")
    assert (member.state, member.assigned) == (UNREVOKED, tps(0, 2))
    for changed, pending in ((False, member.pending), (True, tps(0, 1, 2, 3))):
        after = reconcile(
            Effects(drive.runtime.config, drive.host.state.image, FirstChoices()),
            member,
            3,
            member.assigned,
            tps(0, 1, 2, 3),
            set(),
            Reads(frozenset(), changed),
        )
        assert after.pending == pending

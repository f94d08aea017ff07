"""When a group's target is computed: at once, after the interval, or in the background.

Which server-side assignor a group prefers, ties and all.

A member of a consumer group on its way to its target: it gives up first, and gets nothing that is not free.
"""

from __future__ import annotations

import pytest

from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.coordinator.consumer.targets import (
    Reads,
    preferred_assignor,
    preferred_with,
    reconcile,
)
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import (
    ASSIGNING,
    MEMBER_STABLE,
    RECONCILING,
    STABLE,
    UNRELEASED,
    UNREVOKED,
    ConsumerMember,
)
from kassay.model.protocols.values.records import TargetApplied
from kassay.model.protocols.values.requests import Config
from tests.model.protocols.coordinator.consumer.heartbeats import ack, holders, settle, split
from tests.model.protocols.coordinator.drive import Drive, FirstChoices, tps

BATCHING = Config(assignment_interval=1_000)


def test_the_first_target_waits_for_nothing_and_the_next_for_the_interval():
    drive = Drive(BATCHING)
    assert drive.modern("a").assignment == tps(0, 1, 2, 3)
    joined = drive.modern("b")
    assert (joined.member_epoch, joined.assignment) == (2, ()), "b is led to the target of epoch 2"
    assert group_state(drive.consumer) == ASSIGNING
    drive.wait(999)
    ack(drive, "a")
    assert drive.consumer.target_epoch == 2
    drive.wait(1)
    assert drive.consumer.target_epoch == 2, "no timer computes it"
    ack(drive, "a")
    assert drive.consumer.target_epoch == drive.consumer.epoch == 3
    assert drive.member("a").pending == tps(1, 3)


def test_a_failover_does_not_end_the_interval():
    drive = Drive(BATCHING)
    drive.modern("a"), drive.modern("b")
    drive.reload()
    ack(drive, "a")
    assert group_state(drive.consumer) == ASSIGNING
    drive.wait(1_000)
    ack(drive, "a")
    assert group_state(drive.consumer) != ASSIGNING


def test_a_group_that_was_empty_waits_for_no_interval():
    drive = Drive(BATCHING)
    drive.modern("a")
    drive.modern("a", -1)
    assert drive.modern("b").assignment == tps(0, 1, 2, 3)


def test_older_brokers_know_no_interval():
    drive = Drive(BATCHING._replace(switches=frozenset({"targets_at_once"})))
    drive.modern("a"), drive.modern("b")
    assert drive.consumer.target_epoch == drive.consumer.epoch


def applied(drive: Drive) -> None:
    drive.note(drive.runtime.deliver(drive.host, TargetApplied()))


def test_an_offloaded_target_is_written_when_it_is_ready():
    drive = Drive(Config(offload=True))
    assert drive.modern("a").assignment == ()
    assert (drive.consumer.epoch, drive.consumer.target_epoch) == (2, 1)
    drive.modern("b")
    applied(drive)
    assert drive.consumer.target_epoch == 2, "the target of the group as it was when it was begun"
    assert dict(drive.consumer.target) == {"a": tps(0, 1, 2, 3)}
    assert drive.modern("a", 1).assignment == tps(0, 1, 2, 3)
    applied(drive)
    assert drive.consumer.target_epoch == 3


def test_an_offloaded_target_leaves_out_who_is_gone_and_is_given_to_who_came_in_a_static_place():
    drive = Drive(Config(offload=True))
    drive.modern("a", group_instance_id="i"), drive.modern("b")
    applied(drive)
    drive.modern("b", 1)
    drive.modern("b", -1), drive.modern("a", -2, group_instance_id="i")
    drive.modern("c", group_instance_id="i")
    applied(drive)
    assert dict(drive.consumer.target) == {"c": tps(0, 2)}, "not all four, which its predecessor had before"


def test_an_offloaded_target_that_is_what_it_was_is_not_written_again():
    """`TargetAssignmentBuilder`: a record for each member whose target is another."""
    drive = Drive(Config(offload=True))
    drive.choices.targets = {"a": tps(0, 1), "b": tps(2, 3)}
    drive.modern("a")
    applied(drive)
    drive.modern("b"), drive.modern("b", 1)
    written = len(drive.records)
    applied(drive)
    assert [record.key for record in drive.records[written:]] == [("target", "b"), ("target_epoch", "")]


def test_an_offloaded_target_of_a_group_that_was_empty_in_between_is_dropped():
    drive = Drive(Config(offload=True))
    drive.modern("a"), drive.modern("a", -1)
    before = drive.consumer
    applied(drive)
    assert drive.consumer == before


def test_a_target_that_was_begun_by_a_heartbeat_that_could_not_be_written_is_dropped_with_its_epoch():
    drive = Drive(Config(offload=True))
    drive.modern("a", write_fails="NOT_ENOUGH_REPLICAS")
    drive.modern("b", subscribed_topic_names=("foo",))
    applied(drive)
    assert set(dict(drive.consumer.target)) == {"b"}


def members(*names):
    return [ConsumerMember(str(number), assignor=name) for number, name in enumerate(names)]


def test_the_assignor_is_what_most_ask_for():
    assert preferred_assignor(members("range", "uniform", "", "uniform")) == "uniform"
    assert preferred_assignor(members("range", "range", "uniform")) == "range"
    assert preferred_assignor(members("")) == preferred_assignor([]) == ""


@pytest.mark.parametrize("order", [("range", "uniform"), ("uniform", "range")])
def test_a_tie_between_kafkas_own_goes_to_uniform(order):
    assert preferred_assignor(members(*order)) == "uniform"


@pytest.mark.parametrize(
    ("present", "before", "after", "expected"),
    [
        ((), "", "range", "range"),
        ((), "", "", ""),
        (("range",), "range", "", ""),
        (("range", "range"), "", "uniform", "range"),
        (("uniform",), "", "", "uniform"),
    ],
)
def test_a_member_that_joins_goes_or_asks_for_another_is_counted(present, before, after, expected):
    assert preferred_with(members(*present), before, after) == expected


@pytest.mark.parametrize(("asks", "seen"), [("uniform", "uniform"), ("", "uniform"), ("range", "range")])
def test_who_alone_asks_for_range_sees_range_preferred_in_a_tie(asks, seen):
    """The genuine traces have it so: the vote taken out and put in again comes first in its bucket."""
    assert preferred_with(members("uniform", "range"), asks, asks) == seen


def test_a_vote_that_others_share_stays_where_it_is():
    assert preferred_with(members("uniform", "range", "uniform", "range"), "range", "range") == "uniform"
    thrice = members("range", "range", "range", "uniform", "uniform")
    assert preferred_with(thrice, "range", "range") == "range"


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
            Reads(frozenset(), changed, named=False),
        )
        assert after.pending == pending

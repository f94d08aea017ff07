"""Requests that no group takes, and commits of members that have lost the task."""

from __future__ import annotations

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.requests import OffsetCommit
from kassay.model.protocols.values.streams import StreamsHeartbeat, TaskRoles
from kassay.model.streams.group import GroupTask
from tests.model.protocols.coordinator.streams.threads import AT_ONCE, COUNTS, Threads, tasks


@pytest.mark.parametrize(
    "fields",
    [
        {"member_id": " "},
        {"group_instance_id": " "},
        {"rack": " "},
        {"rebalance_timeout": -1},
        {"topology": None},
        {"active": tasks(0)},
        {"warmup": None},
        {"member_epoch": -3},
        {"member_epoch": -2},
        {"member_epoch": 1},
    ],
    ids=lambda fields: "-".join(map(str, *fields.items())),
)
def test_a_request_that_says_too_little_or_too_much_is_invalid(fields):
    good = {"rebalance_timeout": 1, "topology": COUNTS, "active": (), "standby": (), "warmup": ()}
    request = StreamsHeartbeat(7, "a", 0, **good)
    assert Threads().send(request).error == "NONE"
    assert Threads().send(request._replace(**fields)).error == "INVALID_REQUEST"


def test_no_epoch_is_below_that_of_who_leaves_for_a_while():
    threads = Threads()
    threads.join("a", group_instance_id="i")
    assert threads.leave("a", -3, group_instance_id="i").error == "INVALID_REQUEST"
    assert threads.leave("a", -2, group_instance_id="i").error == "NONE"


def test_tasks_that_there_are_not_are_invalid_once_the_topology_is_ready():
    threads = Threads()
    threads.join("a")
    for task in (GroupTask("0", 2), GroupTask("9", 0), GroupTask("0", -1)):
        assert threads.beat("a", TaskRoles((task,))).error == "INVALID_REQUEST"
    threads.topics(foo=2)
    threads.beat("a")
    assert threads.beat("a", TaskRoles((GroupTask("9", 0),))).error == "NONE"


def test_offsets_of_a_task_stand_there_once():
    threads = Threads()
    threads.join("a")
    twice = ((GroupTask("0", 1), 5), (GroupTask("0", 1), 6))
    assert threads.beat("a", task_offsets=twice).error == "INVALID_REQUEST"
    assert threads.beat("a", task_offsets=twice[:1]).error == "NONE"
    threads.beat("a", task_end_offsets=twice[1:])
    ((_, noted),) = threads.group.task_offsets
    assert noted == (twice[:1], twice[1:])


def test_a_full_group_takes_whom_it_knows():
    threads = Threads(AT_ONCE._replace(max_size=1))
    threads.join("a", group_instance_id="i")
    assert threads.join("b").error == "GROUP_MAX_SIZE_REACHED"
    assert threads.join("a", group_instance_id="i").error == "UNRELEASED_INSTANCE_ID"
    threads.leave("a", -2, group_instance_id="i")
    assert threads.join("b", group_instance_id="i").error == "NONE"
    assert threads.join("b").error == "NONE"


def test_the_previous_epoch_is_good_for_who_says_all_it_has():
    threads = Threads()
    threads.join("a")
    threads.join("b")
    threads.beat("a")
    threads.beat("a", TaskRoles(tasks(0)))
    member = threads.member("a")
    assert (member.prev_epoch, member.epoch, member.assigned.active) == (2, 3, tasks(0))
    assert threads.beat("a", member_epoch=2).error == "FENCED_MEMBER_EPOCH"
    assert threads.beat("a", TaskRoles(tasks(0, 1)), member_epoch=2).error == "FENCED_MEMBER_EPOCH"
    assert threads.beat("a", TaskRoles(tasks(0)), member_epoch=2).error == "NONE"
    assert threads.beat("a", TaskRoles(tasks(0)), member_epoch=4).error == "FENCED_MEMBER_EPOCH"


def commit(threads, name, epoch, *numbers, topic="foo", **fields):
    offsets = tuple((TopicPartition(topic, number), 5) for number in numbers)
    return threads.send(OffsetCommit(7, name, epoch, offsets, **fields)).error


def test_a_commit_is_judged_by_the_epochs_of_the_tasks_that_read():
    threads = Threads()
    threads.join("a")
    threads.join("b")
    threads.beat("a", TaskRoles(tasks(0)))
    threads.beat("b")
    assert (threads.member("a").epoch, threads.member("b").epoch) == (3, 3)
    assert commit(threads, "a", 3, 0, 1) == "NONE", "at its epoch a member may commit anything"
    assert commit(threads, "a", 2, 0) == "NONE"
    assert commit(threads, "a", 2, 1) == "STALE_MEMBER_EPOCH"
    assert commit(threads, "a", 2, 0, 1) == "STALE_MEMBER_EPOCH", "one partition refuses all"
    assert not threads.happened.records
    assert commit(threads, "a", 2, 0, topic="counts") == "STALE_MEMBER_EPOCH"
    assert commit(threads, "b", 2, 1) == "STALE_MEMBER_EPOCH"
    assert commit(threads, "a", 4, 0) == "STALE_MEMBER_EPOCH"
    assert commit(threads, "z", 3, 0) == "UNKNOWN_MEMBER_ID"
    assert commit(threads, "a", 3, 0, api_version=8) == "UNSUPPORTED_VERSION"
    assert commit(threads, "a", -1, 0) == "STALE_MEMBER_EPOCH"


def test_who_has_yet_to_give_a_task_up_may_commit_for_it_under_the_epoch_it_was_given_at():
    """KIP-1251: what is pending revocation counts as well as what is assigned."""
    threads = Threads()
    threads.choices.given = {"a": TaskRoles(tasks(0, 1))}
    threads.join("a")
    threads.join("b")
    threads.beat("a")
    threads.choices.given = {"a": TaskRoles(tasks(0)), "b": TaskRoles(tasks(1))}
    threads.join("c")
    threads.beat("a")
    member = threads.member("a")
    assert (member.epoch, member.assigned.active, member.pending.active) == (3, tasks(0), tasks(1))
    assert commit(threads, "a", 2, 1) == commit(threads, "a", 2, 0) == "NONE"
    assert commit(threads, "a", 1, 1) == "STALE_MEMBER_EPOCH"


def test_without_members_anybody_may_commit_and_with_a_switch_always():
    threads = Threads()
    threads.join("a")
    threads.leave("a")
    assert commit(threads, "", -1, 0) == "NONE"
    assert commit(threads, "a", 2, 0) == "UNKNOWN_MEMBER_ID", "it was a member, and is none any more"
    threads = Threads(switches=frozenset({"streams_commit_unfenced"}))
    threads.join("a")
    assert commit(threads, "z", 1, 0) == "NONE"

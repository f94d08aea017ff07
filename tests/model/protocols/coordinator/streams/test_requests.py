"""The Streams half of the coordinator among the other kinds of group.

The switches of Streams groups.
"""

from __future__ import annotations

import re

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.streams.requests import STREAMS_SWITCHES
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.groups import ClassicGroup, Persist
from kassay.model.protocols.values.requests import ConsumerHeartbeat, Heartbeat, LeaveGroup, SyncGroup
from kassay.model.protocols.values.streams import StreamsHeartbeat, TaskRoles
from kassay.model.protocols.values.streams_groups import STREAMS_KINDS
from tests.model.protocols.coordinator.drive import protocols
from tests.model.protocols.coordinator.streams.threads import AT_ONCE, Threads, tasks
from tests.paths import ROOT

JOIN = requests.JoinGroup(9, "", protocols("range"), group_instance_id="i")
CONSUMER = ConsumerHeartbeat(9, "x", 0, "", 1, ("foo",), "", ())


def test_an_empty_group_makes_way_for_a_classic_one_and_back():
    threads = Threads()
    threads.join("a")
    assert threads.send(JOIN).error == "INCONSISTENT_GROUP_PROTOCOL"
    threads.leave("a")
    threads.send(JOIN)
    group = threads.host.state.group
    assert isinstance(group, ClassicGroup) and group.members
    tombstones = {r.key[0] for r in threads.happened.records if r.value is None}
    assert tombstones == {"streams_epoch", "streams_target_epoch", "streams_topology"}
    assert threads.join("a").error == "GROUP_ID_NOT_FOUND"
    threads.send(LeaveGroup(9, ((group.members[0].member_id, "i"),)))
    threads.advance(3_000)
    assert threads.join("a").error == "NONE"
    assert threads.happened.records[0].key == ("group", "")
    assert {key[0] for key, _ in threads.host.log} <= STREAMS_KINDS


def test_requests_of_other_protocols_find_nobody():
    threads = Threads()
    threads.join("a")
    assert threads.send(CONSUMER).error == "GROUP_ID_NOT_FOUND"
    for request in (SyncGroup(9, "a", 1), Heartbeat(9, "a", 1)):
        assert threads.send(request).error == "UNKNOWN_MEMBER_ID"
    left = threads.send(LeaveGroup(9, (("a", ""),)))
    assert (left.error, left.members) == ("NONE", (("a", "", "UNKNOWN_MEMBER_ID"),))
    threads.leave("a")
    assert threads.send(CONSUMER).error == "GROUP_ID_NOT_FOUND"


def test_a_consumer_group_stays_one():
    threads = Threads()
    threads.send(CONSUMER)
    assert threads.join("a").error == "GROUP_ID_NOT_FOUND"


def test_a_heartbeat_that_changes_nothing_appends_nothing():
    """`CoordinatorRuntime.append`: without records it was a read, and leaves no state to go back to."""
    threads = Threads()
    threads.join("a")
    threads.beat("a", TaskRoles(tasks(0, 1)))
    beat = StreamsHeartbeat(7, "a", threads.member("a").epoch)
    outputs = threads.runtime.result(threads.host, beat)[1]
    assert not any(isinstance(output, Persist) for output in outputs)


def test_what_cannot_be_written_changes_no_group_in_whatever_state():
    """One that is not ready, and one whose last member goes: it was Empty already, and is not."""
    threads = Threads(topics={"counts": 2})
    threads.join("a")
    before = threads.group.members
    assert threads.join("b", write_fails="NOT_ENOUGH_REPLICAS").error == "COORDINATOR_NOT_AVAILABLE"
    assert threads.group.members == before
    gone = threads.send(StreamsHeartbeat(7, "a", -1), "NOT_ENOUGH_REPLICAS")
    assert (gone.error, threads.group.members) == ("COORDINATOR_NOT_AVAILABLE", before)


def test_who_leaves_is_gone_at_once_and_everybody_moves():
    threads = Threads()
    threads.join("a")
    threads.join("b")
    epoch = threads.group.epoch
    assert threads.leave("b") == threads.leave("b")._replace(error="NONE", member_id="b", member_epoch=-1)
    assert (threads.group.epoch, [m.member_id for m in threads.group.members]) == (epoch + 1, ["a"])
    assert [order.timer.member_id for order in threads.host.armed] == ["a"]


def test_a_static_member_keeps_its_place_and_its_timers():
    threads = Threads()
    threads.join("a", group_instance_id="i")
    armed = threads.host.armed
    threads.leave("a", -2, group_instance_id="i")
    member = threads.member("a")
    assert (member.epoch, member.assigned.active, member.assigned.epochs) == (-2, tasks(0, 1), (0, 0))
    assert threads.host.armed == armed
    kept = Threads(switches=frozenset({"streams_static_epochs_kept"}))
    kept.join("a", group_instance_id="i")
    kept.leave("a", -2, group_instance_id="i")
    assert kept.member("a").assigned.epochs == (2, 2)


def test_a_stranger_that_leaves_is_refused_and_its_wish_for_a_shutdown_heard():
    """`streamsGroupLeave` notes the wish before it looks for the member."""
    threads = Threads()
    threads.join("a")
    assert threads.leave("z", shutdown=True).error == "UNKNOWN_MEMBER_ID"
    assert threads.group.shutdown_by == "z"
    assert threads.beat("a").status == ("SHUTDOWN_APPLICATION",)


def test_who_asked_for_a_shutdown_first_is_remembered():
    """`StreamsGroup.setShutdownRequestMemberId` keeps the first."""
    threads = Threads()
    threads.join("a")
    threads.join("b")
    threads.beat("a", shutdown=True)
    threads.leave("b", shutdown=True)
    assert threads.group.shutdown_by == "a"


def test_who_is_silent_is_removed_and_who_does_not_revoke_too():
    threads = Threads(AT_ONCE._replace(session_timeout=10_000))
    threads.join("a", rebalance_timeout=4_000)
    threads.join("b")
    threads.beat("a")
    assert threads.member("a").state == "UNREVOKED_TASKS"
    threads.advance(4_000)
    assert [timer.kind for timer in threads.happened.fired] == ["revocation"]
    assert [member.member_id for member in threads.group.members] == ["b"]
    threads.advance(6_000)
    assert not threads.group.members
    assert threads.group.epoch == threads.group.target_epoch


def test_a_revocation_timer_of_another_epoch_does_nothing():
    threads = Threads()
    threads.join("a", rebalance_timeout=4_000, group_instance_id="i")
    threads.join("b")
    threads.beat("a", group_instance_id="i")
    threads.leave("a", -2, group_instance_id="i")
    threads.advance(4_000)
    assert [timer.kind for timer in threads.happened.fired] == ["revocation"]
    assert threads.member("a").epoch == -2


def test_a_new_coordinator_watches_everybody():
    threads = Threads()
    threads.join("a")
    threads.join("b")
    threads.beat("a")
    before = threads.group
    threads.reload()
    assert threads.group == before._replace(
        remembered=type(before.remembered)(), remembered_at_append=type(before.remembered)(), refreshed=-1
    )
    kinds = sorted((order.timer.kind, order.timer.member_id) for order in threads.host.armed)
    assert kinds == [("revocation", "a"), ("streams_session", "a"), ("streams_session", "b")]


def test_a_new_coordinator_watches_nobody_by_a_switch():
    threads = Threads(switches=frozenset({"streams_sessions_not_restored"}))
    threads.join("a")
    threads.reload()
    assert not threads.host.armed


@pytest.mark.parametrize(("switches", "moves"), [((), True), (("streams_epoch_not_bumped",), False)])
def test_tasks_of_who_left_are_given_to_others(switches, moves):
    threads = Threads(switches=frozenset(switches))
    threads.join("a")
    threads.join("b")
    threads.beat("a", TaskRoles(tasks(0)))
    threads.beat("b")
    threads.leave("b")
    threads.beat("a")
    assert (threads.member("a").assigned.active == tasks(0, 1)) is moves


@pytest.mark.parametrize(
    ("switches", "error"), [((), "STALE_MEMBER_EPOCH"), (("streams_revoked_at_epoch",), "NONE")]
)
def test_a_commit_that_an_acknowledgement_has_overtaken_is_late_by_one_epoch(switches, error):
    threads = Threads(switches=frozenset(switches))
    threads.join("a")
    threads.join("b")
    threads.beat("a")
    epoch = threads.member("a").epoch
    # c joins, so that what is left of the tasks of a goes too: it stays unrevoked.
    threads.choices.given = {"b": TaskRoles(tasks(1)), "c": TaskRoles(tasks(0))}
    threads.join("c")
    threads.beat("a", TaskRoles(tasks(0)))
    assert threads.member("a").state == "UNREVOKED_TASKS"
    threads.beat("b")
    assert threads.member("b").assigned.active == tasks(1)
    commit = requests.OffsetCommit(8, "a", epoch, ((TopicPartition("foo", 1), 5),))
    assert threads.send(commit).error == error


COORDINATOR = ROOT / "src" / "kassay" / "model" / "protocols" / "coordinator"


def test_every_switch_that_is_asked_for_is_told_and_the_reverse():
    texts = [path.read_text() for path in COORDINATOR.rglob("*.py") if path.name != "switches.py"]
    asked = {name for text in texts for name in re.findall(r'has\("(streams_\w+)"\)', text)}
    assert asked == STREAMS_SWITCHES.keys()

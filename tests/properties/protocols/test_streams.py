"""Each promise of Streams groups is broken by what it forbids, and by nothing else."""

from __future__ import annotations

import pytest

from kassay.model.explore.values import Severity
from kassay.model.protocols.census import Holding, KnownEndpoints, StateReport, TaskCensus
from kassay.model.protocols.clients.streams import StreamThread
from kassay.model.protocols.clients.streams_state import StreamsState
from kassay.model.protocols.values.in_flight import Wire
from kassay.model.protocols.values.streams import (
    EndpointPartitions,
    HeldTasks,
    StreamsHeartbeat,
    StreamsHeartbeatReply,
    StreamsTopology,
    TaskRoles,
)
from kassay.model.protocols.values.streams_groups import UNREVOKED_TASKS, StreamsTaskGroup, StreamsTaskMember
from kassay.model.streams.group import GroupTask
from kassay.properties.protocols import streams as claims
from kassay.properties.protocols.coordinator import epochs_never_go_back
from kassay.properties.protocols.registry import RefusedStep

ZERO, ONE = GroupTask("0", 0), GroupTask("0", 1)
AWAKE = Holding("c1", "p1", (ZERO,), (ONE,))


def said(findings):
    return [(finding.severity, finding.message) for finding in findings]


def member(name="m", epoch=2, **more):
    return StreamsTaskMember(name, process_id="p1", epoch=epoch, **more)


def group(*members, epoch=2, target=2, **more):
    return StreamsTaskGroup(epoch, target, members=members, **more)


def test_a_process_has_a_task_once():
    apart = Holding("c2", "p2", (ONE,), (ZERO,))
    assert said(claims.one_copy_per_process(TaskCensus((AWAKE, apart), (AWAKE, apart)))) == []
    together = apart._replace(process="p1")
    findings = said(claims.one_copy_per_process(TaskCensus((AWAKE, together), (AWAKE, together))))
    assert findings == [
        (Severity.REAL, "c1 and c2 of process p1 are both recorded with 0_0,0_1"),
        (Severity.REAL, "c1 and c2 of process p1 both open 0_0,0_1"),
    ]
    late = together._replace(current=False)
    assert said(claims.one_copy_per_process(TaskCensus((), (AWAKE, late))))[0][0] is Severity.ZOMBIE
    double = AWAKE._replace(copies=(ZERO,))
    assert said(claims.one_copy_per_process(TaskCensus((), (double,)))) == [
        (Severity.REAL, "c1 has 0_0 as active and as standby tasks")
    ]


def test_what_is_still_to_be_given_up_counts():
    parting = Holding("c2", "p1", (), (), parting=(ONE,))
    assert said(claims.one_copy_per_process(TaskCensus((AWAKE, parting), ())))


@pytest.mark.parametrize(("standbys", "copies", "fine"), [(1, 1, True), (1, 0, False), (2, 1, True)])
def test_at_rest_there_are_as_many_copies_as_asked_for_and_as_there_are_processes(standbys, copies, fine):
    other = Holding("c2", "p2", (), (ZERO,) if copies else ())
    owner = Holding("c1", "p1", (ZERO,), ())
    tasks = TaskCensus((owner, other), (owner, other), stateful=(ZERO,), standbys=standbys, resting=True)
    assert (said(claims.standbys_at_rest(tasks)) == []) is fine


def test_a_copy_on_record_that_nobody_keeps_is_none():
    owner, other = Holding("c1", "p1", (ZERO,), ()), Holding("c2", "p2", (), (ZERO,))
    believed = other._replace(copies=())
    tasks = TaskCensus((owner, other), (owner, believed), stateful=(ZERO,), standbys=1, resting=True)
    assert len(said(claims.standbys_at_rest(tasks))) == 1


def test_a_commit_counts_until_another_has_taken_over():
    late = Holding("c1", "p1", (ZERO,), (), commits=(ZERO,))
    assert said(claims.task_commits_fenced(TaskCensus((), (late,)))) == []
    assert len(said(claims.task_commits_fenced(TaskCensus((), (late,), adopted=((ZERO, "c2"),))))) == 1


def test_only_a_server_error_is_not_the_clients_own_fault():
    assert said(claims.no_server_error(TaskCensus((), (), ended=(("c1", "INVALID_REQUEST"),)))) == []
    assert len(said(claims.no_server_error(TaskCensus((), (), ended=(("c1", "UNKNOWN_SERVER_ERROR"),))))) == 1


def test_epochs_are_in_order_and_tasks_held_once():
    assert said(claims.task_epochs_in_order(group(member()))) == []
    assert said(claims.task_epochs_in_order(group(member(epoch=-2, state=UNREVOKED_TASKS)))) == []
    held = HeldTasks((ZERO,), epochs=(2,))
    for broken in (
        group(member(), epoch=1),
        group(member(epoch=3)),
        group(member(pending=held)),
        group(member(state=UNREVOKED_TASKS)),
        group(member(assigned=held), member("n", pending=held, state=UNREVOKED_TASKS)),
    ):
        assert len(said(claims.task_epochs_in_order(broken))) == 1


def test_no_epoch_goes_back():
    before = group(member(epoch=3), epoch=4, target=3)
    assert said(epochs_never_go_back(before, before._replace(epoch=5))) == []
    for after in (group(member(epoch=3), epoch=3, target=3), group(member(), epoch=4, target=3)):
        assert len(said(epochs_never_go_back(before, after))) == 1
    assert said(epochs_never_go_back(before, before._replace(members=(member(epoch=0),)))) == []


def test_members_that_change_bump_the_epoch_but_for_a_static_one_that_comes_back():
    assert len(said(claims.members_change_the_epoch(group(member()), group()))) == 1
    assert said(claims.members_change_the_epoch(group(member()), group(epoch=3))) == []


def test_what_is_refused_changes_neither_group_nor_log():
    well = StreamThread(state=StreamsState.STABLE)
    ended = well._replace(state=StreamsState.FATAL, ended_by="INVALID_REQUEST")
    before = RefusedStep((well,), group(), ())
    assert said(claims.refused_changes_nothing(before, before._replace(clients=(ended,)))) == []
    ((_, message),) = said(claims.refused_changes_nothing(before, RefusedStep((ended,), group(epoch=3), ())))
    assert message == "c1 becomes Fatal by INVALID_REQUEST, and the group has changed: epoch"
    reply = StreamsHeartbeatReply("FENCED_MEMBER_EPOCH")
    told = well._replace(wire=Wire().returning(StreamsHeartbeat(0, "m", 1), reply))
    ((_, message),) = said(claims.refused_changes_nothing(before, RefusedStep((told,), group(), ("more",))))
    assert message == "c1 gets FENCED_MEMBER_EPOCH, and the log has changed"
    assert len(said(claims.refused_changes_nothing(before, RefusedStep((ended,), None, ())))) == 1


def test_who_will_be_told_no_more_knows_every_endpoint():
    here, gone = EndpointPartitions("h1:1"), EndpointPartitions("h2:1", standby=(ZERO,))
    knows = TaskCensus((), (), resting=True, endpoints=(KnownEndpoints("c1", (here,), (here,)),))
    assert said(claims.endpoints_at_rest(knows)) == []
    late = knows._replace(endpoints=(KnownEndpoints("c1", (here, gone), (here,)),))
    ((_, message),) = said(claims.endpoints_at_rest(late))
    assert "knows h1:1 with nothing; h2:1 with nothing, copies 0_0; the group has h1:1" in message


def test_what_was_said_of_state_and_will_not_be_said_again_is_known():
    tasks = TaskCensus((), (), resting=True, reports=(StateReport("c1", ((ZERO, 1),), ((ZERO, 1),)),))
    assert said(claims.offsets_known_at_rest(tasks)) == []
    forgotten = tasks._replace(reports=(StateReport("c1", ((ZERO, 1),), ()),))
    assert [m for _, m in said(claims.offsets_known_at_rest(forgotten))] == [
        "c1 reported 0_0 at 1 for the last time; known is nothing"
    ]


def test_nobody_is_ahead_of_the_groups_topology():
    of_old = group(member(topology_epoch=0), topology=(StreamsTopology(1),))
    assert said(claims.topologies_agree(of_old)) == []
    ((_, message),) = said(claims.topologies_agree(of_old._replace(topology=(StreamsTopology(-1),))))
    assert message == "m runs topology 0; the group's is -1"


def test_a_static_member_that_comes_back_has_what_it_is_still_to_have():
    held, both = HeldTasks((ZERO, ONE), epochs=(0, 0)), TaskRoles((ZERO, ONE))
    away = group(member(epoch=-2, assigned=held, group_instance_id="i"))
    away = away._replace(target=(("m", both),))
    back = group(member("n", assigned=held, group_instance_id="i"))._replace(target=(("n", both),))
    assert said(claims.static_return_keeps_tasks(away, back)) == []
    given_up = member("n", assigned=HeldTasks((ONE,), epochs=(2,)), group_instance_id="i")
    less = back._replace(members=(given_up,))
    assert [m for _, m in said(claims.static_return_keeps_tasks(away, less))] == [
        "n returned in place of m and has lost 0_0"
    ]
    moved_on = less._replace(target=(("n", TaskRoles((ONE,))),))
    assert said(claims.static_return_keeps_tasks(away, moved_on)) == []

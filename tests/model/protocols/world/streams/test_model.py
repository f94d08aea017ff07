"""The world of stream threads: it comes to rest, moves tasks, and every fault of its budget can happen.

What befalls a process befalls all its threads; who comes back has an id never used before.

Stream threads process the partitions that their tasks read, and commit them.
"""

from __future__ import annotations

import pytest

from kassay.engines.protocols.views import beliefs
from kassay.model.cluster import TopicPartition
from kassay.model.explore.values import Severity
from kassay.model.kinds import Verdict
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.faults import KNOWN
from kassay.model.protocols.values.streams import HeldTasks
from kassay.model.protocols.values.streams_groups import StreamsTaskMember
from kassay.model.protocols.world.streams.model import TaskLedger, refused
from kassay.model.protocols.world.streams.threads import StreamsOptions
from kassay.model.streams.group import GroupTask
from tests.explored import build, explore
from tests.model.protocols.world.script import first, owned, play, settle, sizes, started


def real(result):
    return {one.invariant for one in result.exploration.violations if one.severity is Severity.REAL}


@pytest.mark.parametrize(
    ("world", "faults"),
    [
        ({}, ""),
        ({"standby": 1}, "leave=1"),
        ({"standby": 1, "processes": 1}, ""),
        ({"delayed": True}, ""),
        ({"warmup": 1}, ""),
        ({}, "crash=1"),
        ({}, "write=1"),
    ],
)
def test_small_worlds_hold(world, faults):
    result = explore("streams", streams=StreamsOptions(**world), faults=faults)
    assert (result.verdict, real(result)) == (Verdict.HOLDS, set())


@pytest.mark.parametrize("network", ["N0", "N1"])
def test_the_networks_of_the_other_worlds_carry_it(network):
    result = explore("streams", partitions=1, network=network)
    assert (result.verdict, real(result)) == (Verdict.HOLDS, set())


def test_a_second_member_takes_half_of_the_tasks_over_and_gives_them_back():
    model = build("streams", faults="leave=1")
    state = settle(model, play(model, first(model), "c1 start"))
    assert sizes(model, state) == [2]
    state = settle(model, play(model, state, "c2 start"))
    assert sorted(sizes(model, state)) == [1, 1]
    state = settle(model, play(model, state, "c2 closes"))
    assert sizes(model, state) == [2]
    assert model.converged(state)


def test_internal_topics_are_created_before_anything_is_assigned():
    model = build("streams", streams=StreamsOptions(standby=1, fresh=True))
    state = play(model, first(model), "c1 start", "c1 heartbeat")
    assert owned(model, state) == [()]
    state = settle(model, play(model, state, "metadata t-changelog is created"))
    assert sizes(model, state) == [2]


def test_a_source_topic_that_comes_late_is_read_once_it_is_there():
    model = build("streams", faults="topic=1", new_topics=("u",))
    state = settle(model, play(model, first(model), "c1 start"))
    assert owned(model, state) == [()]
    state = settle(model, play(model, state, "metadata topic u is created"))
    assert sizes(model, state) == [3]


def test_nobody_is_assigned_to_before_the_initial_delay_is_over():
    model = build("streams", streams=StreamsOptions(delayed=True))
    state = settle(model, play(model, first(model), "c1 start", "c2 start"), without=("delay is over",))
    assert owned(model, state) == [(), ()]
    assert sorted(sizes(model, settle(model, state))) == [1, 1]


def test_every_fault_that_the_model_knows_can_happen():
    for fault in sorted(KNOWN["streams"] - {"loss", "duplicate", "reorder", "write"}):
        model = build("streams", faults=f"{fault}=1", new_topics=("u",) if fault == "topic" else ())
        state = started(model, 2)
        spent = [after for action, after in model.steps(state) if action.fault and after.budget.value.spent]
        assert spent, f"{fault} cannot happen"


def test_a_step_is_a_refusal_where_an_error_sets_out_or_is_heard():
    model = build("streams", instances=("i1", "i1"))
    state = settle(model, play(model, first(model), "c1 start"))
    before = play(model, state, "c2 start")
    after = play(model, before, "c2 heartbeat")
    assert refused(before, after)
    assert not refused(state, before)
    assert [belief.client for belief in beliefs(model, after).beliefs if belief.live] == ["c1"]


def test_a_coordinator_that_moves_unnoticed_never_hears_how_far_a_warm_up_task_is():
    model = build("streams", streams=StreamsOptions(warmup=1), faults="failover=1")
    state = settle(model, play(model, started(model, 1), "c2 start"), without=("restores",))
    warms = next(i for i, cell in enumerate(state.clients, 1) if cell.value.warmup)
    state = play(model, state, f"c{warms} restores", f"c{warms} heartbeat")
    moved = settle(model, play(model, state, "coordinator moves to another broker"))
    assert not model.converged(moved)
    assert sizes(model, moved) == [2, 0]
    assert any(one.said != one.known for one in model.task_censuses.tasks(state).reports) is False
    assert sizes(model, settle(model, state)) == [1, 1]


def test_until_the_interval_is_over_members_work_towards_the_target_of_before():
    model = build("streams", late_targets=True)
    alone = settle(model, play(model, first(model), "c1 start"), without=("interval",))
    waiting = settle(model, play(model, alone, "c2 start"), without=("interval",))
    assert sizes(model, waiting) == [2, 0]
    assert not model.converged(waiting)
    assert sizes(model, settle(model, play(model, waiting, "coordinator the assignment interval"))) == [1, 1]


def test_offsets_that_were_set_before_the_first_start_give_way_to_the_group():
    model = build("streams", log="compacted", faults="failover=1")
    _, state = model.initial()
    assert state.broker.value.state.group is not None
    state = settle(model, play(model, state, "c1 start"))
    assert sizes(model, state) == [2]


SHARED = StreamsOptions(processes=1)


def runs(state):
    return [cell.value.run for cell in state.clients]


def test_a_process_takes_its_threads_along_and_one_of_several_may_die_alone():
    model = build("streams", streams=SHARED, faults="crash=1")
    state = started(model, 2)
    assert runs(play(model, state, "p1 crashes")) == [Process.GONE, Process.GONE]
    assert runs(play(model, state, "c2 dies")) == [Process.UP, Process.GONE]


def test_a_process_stops_and_goes_on_as_a_whole():
    model = build("streams", streams=SHARED, faults="pause=1")
    asleep = play(model, started(model, 2), "p1 pauses")
    assert runs(asleep) == [Process.PAUSED, Process.PAUSED]
    assert runs(play(model, asleep, "p1 resumes")) == [Process.UP, Process.UP]


def test_threads_of_their_own_processes_fall_alone():
    model = build("streams", faults="crash=1")
    assert runs(play(model, started(model, 2), "c1 crashes")) == [Process.GONE, Process.UP]


def test_a_static_member_comes_back_under_another_id_and_keeps_its_tasks():
    model = build("streams", static=1, faults="leave=1")
    before = started(model, 2)
    away = play(model, before, "c1 closes epoch -2")
    (was,) = [m for m in before.broker.value.state.group.members if m.group_instance_id]
    (kept,) = [m for m in away.broker.value.state.group.members if m.group_instance_id]
    assert (kept.epoch, kept.assigned.active) == (-2, was.assigned.active)
    back = settle(model, play(model, away, "c1 restart"))
    assert back.clients[0].value.owned == was.assigned.active
    for_good = play(model, before, "c1 leaves for good epoch -1")
    assert not [m for m in for_good.broker.value.state.group.members if m.group_instance_id]


def test_a_restarted_member_is_new_to_the_coordinator():
    model = build("streams", static=1, faults="leave=1")
    away = play(model, started(model, 2), "c1 closes epoch -2")
    restarted = play(model, away, "c1 restart")
    (kept,) = [m for m in away.broker.value.state.group.members if m.group_instance_id]
    assert restarted.clients[0].value.member_id != kept.member_id


def test_a_late_thread_leaves_and_keeps_its_tasks_until_it_polls():
    model = build("streams", faults="slow=1")
    state = started(model, 2)
    late = play(model, state, "c1 polls too late")
    assert late.clients[0].value.owned == state.clients[0].value.owned
    assert len(late.broker.value.state.group.members) == 1


ZERO, ONE, OTHER = GroupTask("0", 0), GroupTask("0", 1), GroupTask("1", 0)
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def test_a_task_of_the_first_subtopology_reads_its_partition_of_the_source():
    ledger = TaskLedger(build("streams").context)
    assert ledger.reads((ZERO, ONE, OTHER)) == (T0, T1)
    member = StreamsTaskMember("a", assigned=HeldTasks((ZERO,)), pending=HeldTasks((ONE,)))
    assert ledger.held(member) == (T0, T1)


def test_a_thread_processes_what_its_task_reads_and_commits_it():
    model = build("streams", partitions=1, members=1, network="steps", records=1)
    steps = "start", "sends heartbeat", "heartbeat arrives", "takes heartbeat reply"
    steps += "reconciles", "reconciles", "processes", "sends OffsetCommit", "OffsetCommit arrives"
    state = play(model, first(model), *(f"c1 {step}" for step in steps))
    offsets = state.offsets.value
    assert (offsets.committed, offsets.tenants, offsets.breach) == (((T0, 1),), ((T0, 0),), None)
    assert [position.processed for position in offsets.positions[0]] == [1]

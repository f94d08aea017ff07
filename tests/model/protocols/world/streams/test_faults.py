"""What befalls a process befalls all its threads; who comes back has an id never used before."""

from __future__ import annotations

from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.world.streams.options import StreamsOptions
from tests.explored import build
from tests.model.protocols.world.script import play, settle, started

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

"""A stream thread says how far its state is when that has changed, and again after an error.

The table of the stream thread's states: total, and with Kafka's own moves.
"""

from __future__ import annotations

from kassay.model.protocols.clients import streams as cs
from kassay.model.protocols.clients import streams_state as so
from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.clients.streams_state import CLIENT, StreamsEvent, StreamsState
from kassay.model.protocols.table import IGNORE, edges
from kassay.model.protocols.values.streams import StreamsSubtopology, StreamsTopology, TaskRoles
from kassay.model.streams.group import GroupTask

COUNTS = StreamsTopology(
    0, (StreamsSubtopology("0", ("t",), ("t-changelog",)), StreamsSubtopology("1", ("u",)))
)
CONFIG = ClientConfig("c1", topologies=(COUNTS,), reports=True)
ZERO, ONE, PLAIN = GroupTask("0", 0), GroupTask("0", 1), GroupTask("1", 0)


def running(**fields):
    started = cs.started("c1m-1")._replace(state=StreamsState.STABLE, epoch=2, reported=((),))
    return started._replace(owned=(ZERO, PLAIN), standby=(ONE,), restored=(ZERO,))._replace(**fields)


def test_tasks_without_state_are_not_spoken_of():
    assert so.stateful(CONFIG, 0, (PLAIN, ONE, ZERO)) == (ZERO, ONE)
    assert so.offsets((ZERO, ONE), (ZERO,)) == ((ZERO, 1), (ONE, 0))
    assert so.ends((ZERO, ONE)) == ((ZERO, 1), (ONE, 1))


def test_what_is_run_is_restored_and_what_is_no_longer_kept_is_gone():
    assert so.restored_by(TaskRoles((ZERO,), (ONE,)), ()) == (ZERO,)
    assert so.restored_by(TaskRoles((), (ONE,)), (ZERO, ONE)) == (ONE,)
    assert list(so.restorable((ZERO, ONE), (ZERO,))) == [("0_1", (ZERO, ONE))]


def test_a_change_is_said_once_and_again_after_an_error():
    sent, request = cs.heartbeat(CONFIG, 7, running())
    assert (request.task_offsets, request.task_end_offsets) == (((ZERO, 1), (ONE, 0)), ((ZERO, 1), (ONE, 1)))
    _, again = cs.heartbeat(CONFIG, 7, sent)
    assert (again.task_offsets, again.task_end_offsets) == (None, None)
    _, after_loss = cs.heartbeat(CONFIG, 7, cs.failed(CONFIG, sent))
    assert after_loss.task_offsets == request.task_offsets
    _, caught_up = cs.heartbeat(CONFIG, 7, sent._replace(restored=(ZERO, ONE)))
    assert caught_up.task_offsets == ((ZERO, 1), (ONE, 1))


def test_a_join_says_that_there_is_nothing_and_who_does_not_report_says_nothing():
    _, joining = cs.heartbeat(CONFIG, 7, cs.started("c1m-1"))
    assert (joining.task_offsets, joining.task_end_offsets) == ((), ())
    quiet = CONFIG._replace(reports=False)
    for client in (cs.started("c1m-1"), running()):
        _, silent = cs.heartbeat(quiet, 7, client)
        assert silent.task_offsets is None


def test_who_does_not_report_does_not_note_what_is_restored():
    goal = cs.LocalTasks(TaskRoles((ZERO,), (ONE,)), ready=True)
    under_way = running(state=StreamsState.RECONCILING, setting_out=(goal,), restored=())
    assert cs.reconcile(CONFIG, under_way).restored == (ZERO,)
    assert cs.reconcile(CONFIG._replace(reports=False), under_way).restored == ()


def test_every_state_has_a_rule_for_every_event():
    assert set(CLIENT) == set(StreamsState)
    assert all(set(rules) == set(StreamsEvent) for rules in CLIENT.values())


def test_every_state_can_be_left_but_the_last():
    left = {before for before, _, after in edges(CLIENT) if before != after}
    assert left == set(StreamsState) - {StreamsState.FATAL}


def test_out_of_the_group_an_answer_changes_nothing():
    outside = (StreamsState.UNSUBSCRIBED, StreamsState.FENCED, StreamsState.STALE, StreamsState.FATAL)
    answers = (StreamsEvent.OK, StreamsEvent.ASSIGNED, StreamsEvent.FENCED, StreamsEvent.FATAL)
    assert all(CLIENT[state][event] is IGNORE for state in outside for event in answers)

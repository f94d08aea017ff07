"""The stream thread of KIP-1071: what it names, what it runs, what it refuses, and what ends it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.clients import streams as cs
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.streams import LocalTasks, StreamThread
from kassay.model.protocols.clients.streams_state import CLIENT, StreamsEvent, StreamsState
from kassay.model.protocols.table import IMPOSSIBLE
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.streams import (
    ASSIGNMENT_DELAYED,
    EndpointPartitions,
    StreamsHeartbeatReply,
    StreamsSubtopology,
    StreamsTopology,
    TaskRoles,
)
from kassay.model.streams.group import GroupTask
from tests.model.protocols.refusing import refused

ERRORS = [name for name in vars(errors) if name.isupper() and name != "NONE"]
TOPOLOGY = StreamsTopology(0, (StreamsSubtopology("0", ("t",)),))
CONFIG = ClientConfig("c1", process_id="p1", topologies=(TOPOLOGY,))
KAFKA = CONFIG._replace(switches=frozenset({"streams_names_reconciled"}))
ZERO, ONE, TWO = (GroupTask("0", number) for number in range(3))


def told(epoch, *active, standby=(), status=()):
    return StreamsHeartbeatReply(
        errors.NONE, "c1m-1", epoch, status=status, tasks=TaskRoles(active, tuple(standby))
    )


def beat(config, client):
    turn = cs.heartbeat(config, 0, client)
    assert turn is not None
    return turn


def running(*active, standby=(), config=CONFIG):
    """A thread that runs these tasks and has said so."""
    client, _ = beat(config, cs.started("c1m-1"))
    client = cs.on_reply(config, client, told(2, *active, standby=standby))
    while client.state is not StreamsState.STABLE:
        client = cs.reconcile(config, client) or beat(config, client)[0]
    return client


def test_a_thread_joins_with_its_topology_and_no_tasks_then_runs_what_it_is_given():
    client = cs.started("c1m-1")
    client, joining = beat(CONFIG, client)
    assert (joining.topology, joining.process_id, joining.owned) == (TOPOLOGY, "p1", TaskRoles())
    client = cs.on_reply(CONFIG, client, told(2, ZERO, ONE))
    assert (client.state, client.epoch, client.owned) == (StreamsState.RECONCILING, 2, ())
    client = cs.reconcile(CONFIG, cs.reconcile(CONFIG, client))
    assert (client.state, client.owned) == (StreamsState.ACKNOWLEDGING, (ZERO, ONE))
    client, acknowledging = beat(CONFIG, client)
    assert acknowledging.owned == TaskRoles((ZERO, ONE))
    assert client.state is StreamsState.STABLE
    assert beat(CONFIG, client)[1].owned is None, "what has been said is not said again"


def test_kafkas_client_names_nothing_while_it_first_reconciles_and_ours_what_it_will_run():
    under_way = {}
    for config in (CONFIG, KAFKA):
        joined = cs.on_reply(config, beat(config, cs.started("c1m-1"))[0], told(2, ZERO))
        under_way[config] = cs.reconcile(config, joined)
    assert beat(KAFKA, under_way[KAFKA])[1].owned == TaskRoles()
    assert beat(CONFIG, under_way[CONFIG])[1].owned is None
    assert beat(CONFIG, cs.failed(CONFIG, under_way[CONFIG]))[1].owned == TaskRoles((ZERO,))


def test_active_tasks_are_given_up_before_the_others_change():
    client = cs.on_reply(CONFIG, running(ZERO, ONE, standby=(TWO,)), told(3, ONE, TWO))
    client = cs.reconcile(CONFIG, client)
    assert (client.owned, client.standby) == ((ONE,), (TWO,)), "a copy is kept until the second step"
    client = cs.reconcile(CONFIG, client)
    assert (client.owned, client.standby) == ((ONE, TWO), ())


def test_a_task_that_is_active_is_no_copy_beside_it():
    client = running(ZERO, standby=(ZERO, ONE))
    assert (client.owned, client.standby) == ((ZERO,), (ONE,))
    assert client.reconciled.roles == TaskRoles((ZERO,), (ONE,))


def test_a_group_that_is_no_longer_delayed_is_reconciled_and_acknowledged_anew():
    client = cs.on_reply(CONFIG, beat(CONFIG, cs.started("c1m-1"))[0], told(1, status=(ASSIGNMENT_DELAYED,)))
    assert client.target == (LocalTasks(),)
    ready = cs.on_reply(CONFIG, client, StreamsHeartbeatReply(errors.NONE, "c1m-1", 1))
    assert ready.target == (LocalTasks(ready=True),)
    assert not ready.settled


def test_a_target_that_moves_during_a_reconciliation_is_reconciled_after_it():
    client = cs.reconcile(CONFIG, cs.on_reply(CONFIG, running(ZERO), told(3, ZERO, ONE)))
    client = cs.on_reply(CONFIG, client, told(4, ONE))
    client = cs.reconcile(CONFIG, client)
    assert (client.owned, client.settled) == ((ZERO, ONE), False)
    client, acknowledging = beat(CONFIG, client)
    assert client.state is StreamsState.RECONCILING
    assert acknowledging.owned == TaskRoles((ZERO, ONE))


def test_an_acknowledgement_does_not_seem_to_give_up_what_is_to_come_next():
    client = cs.reconcile(CONFIG, cs.on_reply(CONFIG, running(ZERO), told(3, ZERO, ONE)))
    client = cs.reconcile(CONFIG, cs.on_reply(CONFIG, client, told(4, ZERO, ONE, TWO)))
    assert (client.owned, client.settled) == ((ZERO, ONE), False)
    assert beat(CONFIG, client)[1].owned == TaskRoles((ZERO, ONE, TWO))


@pytest.mark.parametrize("state", StreamsState)
def test_a_commit_carries_an_epoch_that_the_coordinator_gave(state):
    client = StreamThread(Process.UP, state, "c1m-1", 3)
    member = state in cs.MEMBER
    assert (cs.commit(CONFIG, 7, client, ()) is not None) == member
    assert cs.commit(CONFIG, 7, client._replace(epoch=0), ()) is None
    kafka = CONFIG._replace(switches=frozenset({"streams_commits_out_of_group"}))
    for epoch in (0, 3):
        sent = cs.commit(kafka, 7, client._replace(epoch=epoch), ())
        known = epoch if member and epoch else requests.NO_GENERATION
        assert (sent.member_id, sent.generation_id) == ("c1m-1", known), "`CommitRequestManager` keeps the id"


@pytest.mark.parametrize("run", Process)
def test_a_process_that_is_not_up_neither_beats_nor_reconciles_nor_joins_again(run):
    reconciling = cs.on_reply(CONFIG, running(ZERO), told(3, ZERO, ONE))._replace(run=run)
    fenced = StreamThread(run, StreamsState.FENCED)
    done = (cs.heartbeat(CONFIG, 7, reconciling), cs.reconcile(CONFIG, reconciling), cs.lost(fenced))
    assert [one is not None for one in done] == [run is Process.UP] * 3


def test_after_a_lost_reply_the_tasks_are_named_again():
    client = running(ZERO)
    assert beat(CONFIG, cs.failed(CONFIG, client))[1].owned == TaskRoles((ZERO,))
    once = CONFIG._replace(switches=frozenset({"streams_acknowledged_once"}))
    assert beat(once, cs.failed(once, client))[1].owned is None


def test_what_a_thread_runs_already_is_not_reconciled_again():
    """`StreamsMembershipManager`: a target that equals the last one is none."""
    client = running(ZERO)
    assert cs.on_reply(CONFIG, client, told(2, ZERO)) == client


def test_a_fence_takes_all_tasks_before_the_thread_joins_again():
    client = cs.on_reply(CONFIG, running(ZERO), StreamsHeartbeatReply(errors.FENCED_MEMBER_EPOCH))
    assert (client.state, client.owned, client.epoch) == (StreamsState.FENCED, (ZERO,), 0)
    client = cs.lost(client)
    assert (client.state, client.owned, client.target) == (StreamsState.JOINING, (), ())


def test_tasks_of_a_subtopology_that_the_client_does_not_know_end_it():
    client = cs.on_reply(CONFIG, running(ZERO), told(3, GroupTask("1", 0)))
    assert (client.state, client.run, client.owned) == (StreamsState.FATAL, Process.FATAL, ())


@pytest.mark.parametrize("state", StreamsState)
def test_the_client_refuses_what_is_impossible(state):
    client = StreamThread(Process.UP, state)
    for event, step in {StreamsEvent.POLL_EXPIRED: cs.poll_expired, StreamsEvent.CLOSE: cs.closed}.items():
        if CLIENT[state][event] is IMPOSSIBLE:
            refused(state, event, step, client)
        else:
            after = step(client).state
            assert after in CLIENT[state][event].targets


@pytest.mark.parametrize("epoch", [0, 3])
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("state", StreamsState)
def test_no_error_moves_who_is_no_member(state, error, epoch):
    client = StreamThread(Process.UP, state, "c1m-1", epoch, ended_by="")
    after = cs.on_reply(CONFIG, client, StreamsHeartbeatReply(error))
    assert (after != client) is (state in cs.MEMBER)
    if error in cs.RETRIABLE:
        assert after.state is state
    elif state in cs.MEMBER:
        again = error in (errors.FENCED_MEMBER_EPOCH, errors.UNKNOWN_MEMBER_ID)
        assert after.state is (StreamsState.FENCED if again else StreamsState.FATAL)


ASSIGNMENTS = st.lists(st.sets(st.sampled_from((ZERO, ONE, TWO))), min_size=1, max_size=4)


@given(ASSIGNMENTS, st.lists(st.integers(0, 3), max_size=12))
def test_what_a_thread_runs_it_always_names_where_it_has_to_name_anything(assignments, turns):
    """Whatever the order of answers, callbacks and heartbeats: nothing that is run, or about to be, is left out."""
    client, _ = beat(CONFIG, cs.started("c1m-1"))
    answers = iter(assignments)
    for turn in (0, *turns):
        if turn == 0 and (active := next(answers, None)) is not None:
            client = cs.on_reply(CONFIG, client, told(client.epoch + 1, *sorted(active)))
        elif turn == 1:
            client = cs.failed(CONFIG, client)
        elif turn == 2:
            client = cs.reconcile(CONFIG, client) or client
        else:
            client, request = beat(CONFIG, client)
            if request.owned is not None:
                assert {*client.owned} <= {*request.owned.active}
                for goal in client.setting_out:
                    assert {*goal.roles.active} <= {*request.owned.active}


def test_endpoints_are_noted_by_who_has_one_and_kept_until_others_are_told():
    told = (EndpointPartitions("h2:1"), EndpointPartitions("h1:1"))
    reply = StreamsHeartbeatReply(errors.NONE, "c1m-1", 2, endpoint_epoch=3, endpoints=told)
    named = CONFIG._replace(endpoint="h1:1")
    client = cs.on_reply(named, cs.started("c1m-1"), reply)
    assert (client.endpoint_epoch, client.endpoints) == (3, tuple(sorted(told)))
    later = cs.on_reply(named, client, reply._replace(endpoint_epoch=4, endpoints=None))
    assert (later.endpoint_epoch, later.endpoints) == (4, tuple(sorted(told)))
    nameless = cs.on_reply(CONFIG, cs.started("c1m-1"), reply)
    assert (nameless.endpoint_epoch, nameless.endpoints) == (-1, ())

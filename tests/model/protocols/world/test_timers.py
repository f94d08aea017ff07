"""The coordinator's own steps: a session expires for those alone who are not there to beat."""

import pytest

from kassay.model.explore.search import explore
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.coordinator.brokers import SPENT
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.groups import ClassicGroup
from kassay.model.protocols.world.timers import timer_name
from tests.explored import build


@pytest.mark.parametrize("name", ["classic", "kip848"])
def test_no_session_of_a_client_that_runs_expires_and_of_others_some_does(name):
    model = build(name, partitions=1, faults=Faults(crash=1, pause=1))
    graph = explore(model, budget=WalkLimits(500), check_liveness=False).graph
    expired = 0
    for state in graph.states:
        running = {
            cell.value.member_id for cell in state.clients if cell.value.run in (Process.UP, Process.STALLED)
        }
        for action, _ in model.timers.steps(state):
            member = action.name.removeprefix("session of ").removesuffix(" expires")
            if member != action.name:
                assert member not in running
                expired += 1
    assert expired


def test_a_write_under_way_is_acknowledged_and_a_new_coordinator_loads():
    model = build("classic", partitions=1, faults=Faults(failover=1), loading=True)
    graph = explore(model, budget=WalkLimits(500), check_liveness=False).graph
    names = {True: set(), False: set()}
    for state in graph.states:
        steps = [action.name for action, _ in model.timers.steps(state)]
        assert ("the assignment is stored" in steps) == bool(state.broker.value.waiting)
        names["has loaded the group" in steps].add(state.broker.value.state.role)
    assert len(names[True]) == 1
    assert not names[True] & names[False]


@pytest.mark.parametrize(
    ("kind", "member", "name"),
    [
        (requests.SESSION, "m", "session of m expires"),
        (requests.CONSUMER_SESSION, "m", "session of m expires"),
        (requests.JOIN, "", "join timer fires"),
        (requests.SYNC, "", "sync timer fires"),
        (requests.REVOCATION, "m", "revocation timer of m fires"),
        (requests.CLASSIC_JOIN, "m", "classic_join_of_member of m fires"),
    ],
)
def test_timers_are_named_by_what_happens(kind, member, name):
    assert timer_name(kind, member) == name


TO_AND_FRO = {"partitions": 1, "static": 1, "kinds": (("classic", "consumer", "classic"), ("classic",))}


def test_what_a_conversion_leaves_armed_fires_at_any_time_and_watches_nobody():
    """Where the group is of the other kind it changes nothing; the same with a member that is well."""
    model = build("migration", **TO_AND_FRO)
    graph = explore(model, budget=WalkLimits(1_500), check_liveness=False).graph
    outlived = 0
    for state in graph.states:
        host = state.broker.value
        group, armed, _ = model.timers.watched(state)
        for order in host.armed if group is not None else ():
            elsewhere = (order.timer.kind in requests.OF_CLASSIC_GROUPS) is not isinstance(
                group, ClassicGroup
            )
            if not order.outlived:
                assert not elsewhere
                continue
            outlived += 1
            assert order.timer.kind not in SPENT
            assert armed.count(order.timer.member_id) <= 1
            action = timer_name(*order.timer)
            after = [w.broker.value for each, w in model.timers.steps(state) if each.name == action]
            assert after
            if elsewhere:
                assert [each.coordinator for each in after] == [host.coordinator]
    assert outlived


def test_where_a_conversion_stops_them_none_is_left():
    model = build("migration", **TO_AND_FRO, switches=frozenset({"conversion_stops_timers"}))
    graph = explore(model, budget=WalkLimits(1_500), check_liveness=False).graph
    assert not any(order.outlived for state in graph.states for order in state.broker.value.armed)


def test_what_a_timer_cannot_write_it_tries_again_and_one_that_removes_its_member_watches_it():
    model = build("kip848", faults=Faults(crash=1, write=1))
    graph = explore(model, budget=WalkLimits(3_000), check_liveness=False).graph
    failing = unwatched = 0
    for state in graph.states:
        group, armed, _ = model.timers.watched(state)
        for member in group.members if group else ():
            assert member.member_id in armed
            kinds = {o.timer.kind for o in state.broker.value.armed if o.timer.member_id == member.member_id}
            unwatched += kinds == {requests.REVOCATION}
        for action, after in model.timers.steps(state):
            if action.fault:
                failing += 1
                assert action.detail == "the write fails"
                assert after.broker.value.state == state.broker.value.state
                assert after.budget.value == state.budget.value._replace(write=0)
    assert failing
    assert unwatched

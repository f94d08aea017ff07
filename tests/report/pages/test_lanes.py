"""Swim lanes: a row an action, lanes straight, and a message goes from lane to lane without a gap.

Messages: when each was sent, came, or was lost, as the actions and the inboxes say.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from kassay.engines.protocols.snapshots import snapshots
from kassay.model.explore.values import Action, run
from kassay.report.pages.lanes import Message, lanes_of, messages_of
from kassay.report.screen.swimlanes import lanes
from tests.explored import build
from tests.hostile import SOME
from tests.report.screen.test_swimlanes import ACTIONS


@SOME
@given(ACTIONS)
def test_every_action_has_a_row_that_says_what_it_says_on_the_screen(actions: list[Action]) -> None:
    drawing = lanes_of(actions)
    assert [lane.name for lane in drawing.lanes] == list(lanes(actions))
    assert [step.number for step in drawing.steps] == list(range(1, len(actions) + 1))
    places = {lane.name: lane.x for lane in drawing.lanes}
    for action, step in zip(actions, drawing.steps, strict=True):
        assert step.actor == action.actor
        assert action.name in step.text
        assert step.arrows or step.dots
        for piece in (*step.arrows, *step.tracks):
            assert all(0 <= value <= 100 for value in piece if not isinstance(value, bool))
        assert {dot.x for dot in step.dots} <= {places[action.actor]}


def test_a_message_under_way_goes_down_beside_its_lane_from_the_row_it_is_sent_in() -> None:
    actions = [
        Action("c1", "sends JoinGroup", "coordinator"),
        Action("c2", "start"),
        Action("c1", "JoinGroup arrives", "coordinator", reply="parked"),
    ]
    sent, between, came = lanes_of(actions).steps
    (out,), (into,) = sent.arrows, came.arrows
    assert out.x1 == lanes_of(actions).lanes[0].x
    assert out.x2 == sent.tracks[0].x == between.tracks[0].x == came.tracks[0].x == into.x1
    assert (between.tracks[0].y1, between.tracks[0].y2) == (0, 100)
    assert (out.head, into.head) == (False, True)
    assert into.x2 == lanes_of(actions).lanes[-1].x


@SOME
@given(ACTIONS)
def test_messages_of_one_client_under_way_at_once_have_tracks_of_their_own(actions: list[Action]) -> None:
    drawing = lanes_of([action._replace(name=f"sends {action.name}") for action in actions[:4]])
    assert messages_of(actions) is not None
    for step in drawing.steps:
        places = [track.x for track in step.tracks]
        assert len(set(places)) == len(places) or len(places) > 4


def test_a_lost_message_ends_with_a_cross_and_time_has_no_lane() -> None:
    lost = Action("c1", "Heartbeat", "coordinator", reply="lost before the coordinator", fault=True)
    drawing = lanes_of([lost, Action("time", "passes", detail="2 ticks")])
    assert [lane.name for lane in drawing.lanes] == ["c1", "coordinator"]
    (arrow,) = drawing.steps[0].arrows
    assert (arrow.lost, arrow.head, drawing.steps[0].fault) == (True, False, True)
    assert drawing.steps[1].dots == ()


def told(*actions: Action) -> list[tuple[str, int, int | None, bool, int | None]]:
    return [(each.name, each.sent, each.came, each.reply, each.lost) for each in messages_of(actions)]


def call(name: str, reply: str = "", detail: str = "", **more: Any) -> Action:
    return Action("c1", name, "coordinator", detail, reply, **more)


@SOME
@given(ACTIONS)
def test_a_message_is_sent_before_it_comes_or_is_lost(actions: list[Action]) -> None:
    for message in messages_of(actions):
        assert 1 <= message.sent <= len(actions)
        assert message.until is None or message.sent <= message.until <= len(actions)
        assert None in (message.came, message.lost)


def test_a_call_of_one_step_goes_and_is_answered_at_once() -> None:
    assert told(call("Heartbeat", "ok")) == [
        ("Heartbeat", 1, 1, False, None),
        ("Heartbeat", 1, 1, True, None),
    ]
    assert told(call("JoinGroup", "parked")) == [("JoinGroup", 1, 1, False, None)]


def test_what_is_lost_is_lost_where_it_was() -> None:
    assert told(call("Heartbeat", "lost before the coordinator", fault=True)) == [
        ("Heartbeat", 1, None, False, 1)
    ]
    assert told(call("Heartbeat", "reply lost", fault=True)) == [
        ("Heartbeat", 1, 1, False, None),
        ("Heartbeat", 1, None, True, 1),
    ]


def test_a_request_that_is_sent_comes_later_and_so_does_its_answer() -> None:
    actions = [
        call("sends SyncGroup"),
        Action("c2", "start"),
        call("SyncGroup arrives", "ok"),
        Action("c1", "takes SyncGroup reply"),
    ]
    assert told(*actions) == [("SyncGroup", 1, 3, False, None), ("SyncGroup", 3, 4, True, None)]
    broken = Action("c1", "loses its connection", fault=True)
    assert told(actions[0], broken) == [("SyncGroup", 1, None, False, 2)]
    assert told(actions[0], broken._replace(detail="its requests are still under way"), actions[2])[0] == (
        "SyncGroup",
        1,
        3,
        False,
        None,
    )
    assert told(actions[0]) == [("SyncGroup", 1, None, False, None)]


def test_a_copy_stays_under_way() -> None:
    twice = call("JoinGroup arrives", "parked", "duplicate", fault=True)
    assert told(call("sends JoinGroup"), twice, call("JoinGroup arrives", "parked")) == [
        ("JoinGroup", 1, 2, False, None),
        ("JoinGroup", 2, 3, False, None),
    ]


def test_an_answer_to_a_parked_request_sets_out_when_the_inbox_says_so() -> None:
    parked, timer, taken = (
        call("JoinGroup", "parked"),
        Action("coordinator", "join timer fires"),
        Action("c1", "takes JoinGroup reply"),
    )
    assert messages_of([parked, timer, taken], [(), (), {"c1"}, ()])[1] == Message(
        "c1", "coordinator", "", 2, 3, reply=True
    )
    crash = Action("c1", "crashes", fault=True)
    assert messages_of([parked, timer, crash], [(), (), {"c1"}, ()])[1].lost == 3
    assert told(parked, timer, taken)[1] == ("JoinGroup", 3, 3, True, None)


@pytest.mark.parametrize("network", ["atomic", "steps"])
def test_in_a_run_of_a_model_every_answer_in_an_inbox_is_a_message(network: str) -> None:
    trace = run(build("classic", network=network), [lambda _: True] * 14)
    states = snapshots([step.state for step in trace])
    actions = [step.action for step in trace if step.action is not None]
    messages = messages_of(actions, [state.unread for state in states])
    for number in range(1, len(states)):
        for client in states[number].unread - states[number - 1].unread:
            assert any(m.reply and (m.client, m.sent) == (client, number) for m in messages)
        for client in states[number - 1].unread - states[number].unread:
            assert any(m.reply and m.client == client and m.until == number for m in messages)

"""Swim lanes: a row an action, lanes straight, and a message goes from lane to lane without a gap."""

from __future__ import annotations

from hypothesis import given

from kassay.model.explore.graph import Action
from kassay.report.figures.lanes import lanes_of
from kassay.report.figures.messages import messages_of
from kassay.report.screen.swimlanes import lanes
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

"""The coordinator and its members, on groups, timers and clients of a few lines."""

from types import SimpleNamespace

import pytest

from kassay.model.protocols.values import groups as g
from kassay.model.protocols.values.requests import image_of
from kassay.properties.protocols import coordinator
from kassay.properties.protocols.registry import Presence, WatchedSessions
from tests.properties.protocols.test_ownership import said


def classic(state, generation, *members, leader=""):
    listed = tuple(g.ClassicMember(member, "", "c", 0, 0, ()) for member in members)
    return g.CoordinatorState(g.ClassicGroup(state, generation, leader=leader, members=listed))


def consumer(epoch, target_epoch, *members):
    return g.CoordinatorState(g.ConsumerGroup(epoch, target_epoch, members=members))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (classic(g.PREPARING, 1), classic(g.COMPLETING, 3), "generation 1 is followed by generation 3"),
        (classic(g.STABLE, 1), classic(g.COMPLETING, 1), "generation 1 is to be assigned twice"),
        (
            classic(g.COMPLETING, 1),
            classic(g.STABLE, 2, "m", leader="m"),
            "generation 1 became 2 by an assignment",
        ),
        (
            classic(g.COMPLETING, 1),
            classic(g.STABLE, 1, "m", leader="x"),
            "the leader 'x' of generation 1 is no member",
        ),
    ],
)
def test_a_generation_is_assigned_once(before, after, message):
    assert said(coordinator.one_assignment_per_generation(before, after)) == [("real", message)]
    assert not said(
        coordinator.one_assignment_per_generation(classic(g.PREPARING, 1), classic(g.COMPLETING, 2))
    )


def test_generations_and_epochs_never_go_back():
    assert said(coordinator.epochs_never_go_back(classic(g.STABLE, 2), classic(g.STABLE, 1))) == [
        ("real", "generation 2 is followed by generation 1")
    ]
    before = consumer(3, 3, g.ConsumerMember("m", epoch=3))
    after = consumer(2, 1, g.ConsumerMember("m", epoch=2))
    assert [message for _, message in said(coordinator.epochs_never_go_back(before, after))] == [
        "the group's epoch 3 is followed by 2",
        "the group's target epoch 3 is followed by 1",
        "epoch 3 of m is followed by 2",
    ]
    assert not said(coordinator.epochs_never_go_back(after, before))


def test_a_generation_is_stored_once():
    one, other = (SimpleNamespace(generation=1, members=(0,), assignment=given) for given in ("a", "b"))
    assert said(coordinator.stored_once(one, other)) == [
        ("real", "generation 1 is on record with a second assignment")
    ]
    assert not said(coordinator.stored_once(one, SimpleNamespace(generation=2, members=(0,), assignment="b")))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (consumer(1, 2), "target epoch 2 is above group epoch 1"),
        (consumer(2, 1, g.ConsumerMember("m", epoch=2)), "m is at epoch 2, above target epoch 1"),
        (consumer(1, 1, g.ConsumerMember("m", epoch=1, pending=("t-0",))), "m is stable and has pending t-0"),
        (
            consumer(1, 1, g.ConsumerMember("m", epoch=1, state=g.UNREVOKED)),
            "m is unrevoked with nothing pending",
        ),
        (
            consumer(1, 1, *(g.ConsumerMember(m, epoch=1, assigned=("t-0",)) for m in "mn")),
            "t-0 is held by m and n",
        ),
    ],
)
def test_epochs_are_in_order(state, message):
    assert said(coordinator.epochs_in_order(state)) == [("real", message)]
    assert not said(coordinator.epochs_in_order(consumer(2, 2, g.ConsumerMember("m", epoch=2))))


def test_topics_never_shrink():
    two, one = image_of([("t", 2)]), image_of([("t", 1)])
    assert said(coordinator.topics_never_shrink(two, one)) == [("real", "topic t shrank")]
    assert not said(coordinator.topics_never_shrink(one, two))
    assert not said(coordinator.topics_never_shrink(two, ()))


GROUP = g.ClassicGroup(members=(g.ClassicMember("m", "", "c", 0, 0, ()),))


def test_every_member_is_watched():
    assert said(coordinator.members_watched(WatchedSessions(GROUP, (), ()))) == [
        ("real", "m is a member, and no session timer watches it")
    ]
    assert not said(coordinator.members_watched(WatchedSessions(GROUP, ("m",), ())))
    assert not said(coordinator.members_watched(WatchedSessions(GROUP, (), ("m",))))
    assert not said(coordinator.members_watched(WatchedSessions(None, (), ())))


def test_a_retriable_error_costs_no_member_id():
    def client(error="", member_id="m", run="up"):
        return SimpleNamespace(
            inbox=(SimpleNamespace(error=error),) if error else (), member_id=member_id, run=run
        )

    lost = client(member_id="")
    assert said(coordinator.member_id_kept((client("NOT_COORDINATOR"),), (lost,))) == [
        ("real", "c1 forgets its member id m over NOT_COORDINATOR")
    ]
    assert not said(coordinator.member_id_kept((client("UNKNOWN_MEMBER_ID"),), (lost,)))
    assert not said(coordinator.member_id_kept((client("NOT_COORDINATOR"),), (client(),)))


def test_who_polls_is_not_removed():
    before = Presence(frozenset({"m", "n"}), (("c1", "m"),))
    removed = Presence(frozenset({"n"}), (("c1", "m"),))
    assert said(coordinator.live_members_kept(before, removed)) == [
        ("real", "m is removed though c1 is alive and polls")
    ]
    assert not said(coordinator.live_members_kept(before, removed._replace(polling=())))
    assert not said(coordinator.live_members_kept(before, before))

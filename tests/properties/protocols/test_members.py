"""Who may be in a group, on members, timers and clients of a few lines."""

from types import SimpleNamespace

from kassay.model.protocols.values.groups import ClassicGroup, ClassicMember
from kassay.properties.protocols import members
from kassay.properties.protocols.registry import Presence, WatchedSessions
from tests.properties.protocols.test_ownership import said

GROUP = ClassicGroup(members=(ClassicMember("m", "", "c", 0, 0, ()),))


def test_every_member_is_watched():
    assert said(members.members_watched(WatchedSessions(GROUP, (), ()))) == [
        ("real", "m is a member, and no session timer watches it")
    ]
    assert not said(members.members_watched(WatchedSessions(GROUP, ("m",), ())))
    assert not said(members.members_watched(WatchedSessions(GROUP, (), ("m",))))
    assert not said(members.members_watched(WatchedSessions(None, (), ())))


def test_a_retriable_error_costs_no_member_id():
    def client(error="", member_id="m", run="up"):
        return SimpleNamespace(
            inbox=(SimpleNamespace(error=error),) if error else (), member_id=member_id, run=run
        )

    lost = client(member_id="")
    assert said(members.member_id_kept((client("NOT_COORDINATOR"),), (lost,))) == [
        ("real", "c1 forgets its member id m over NOT_COORDINATOR")
    ]
    assert not said(members.member_id_kept((client("UNKNOWN_MEMBER_ID"),), (lost,)))
    assert not said(members.member_id_kept((client("NOT_COORDINATOR"),), (client(),)))


def test_who_polls_is_not_removed():
    before = Presence(frozenset({"m", "n"}), (("c1", "m"),))
    removed = Presence(frozenset({"n"}), (("c1", "m"),))
    assert said(members.live_members_kept(before, removed)) == [
        ("real", "m is removed though c1 is alive and polls")
    ]
    assert not said(members.live_members_kept(before, removed._replace(polling=())))
    assert not said(members.live_members_kept(before, before))

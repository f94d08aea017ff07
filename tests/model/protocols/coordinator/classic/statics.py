"""Classic groups with static members, as several tests begin with them."""

from __future__ import annotations

from kassay.model.protocols.values.groups import STABLE
from kassay.model.protocols.values.requests import Subscription
from tests.model.protocols.coordinator.drive import Drive, tps

CHANGED = Subscription(("foo", "bar"))


def returning(drive: Drive, **more: object):
    return drive.join(group_instance_id="i", client_id="again", **more)


def static_pair(**more: object) -> tuple[Drive, str, str]:
    """A stable group of a static leader and a dynamic follower."""
    drive = Drive()
    drive.join(group_instance_id="i", **more)
    drive.wait(0)
    static = drive.classic.leader
    drive.sync(static)
    dynamic = drive.join().member_id
    drive.join(dynamic), drive.join(static, group_instance_id="i", **more)
    drive.sync(dynamic), drive.sync(static, {static: tps(0), dynamic: tps(1)}, group_instance_id="i")
    assert drive.classic.state == STABLE
    return drive, static, dynamic


def waiting_static() -> tuple[Drive, str, int]:
    """A static follower came back, and its new id is not on disk yet: its JoinGroup is parked in Stable."""
    drive = Drive()
    (leader,) = drive.stable(1)
    drive.join(group_instance_id="i"), drive.join(leader)
    static = drive.classic.pending_sync[-1]
    drive.sync(static, group_instance_id="i"), drive.sync(leader, {static: tps(1)})
    drive.defer()
    assert returning(drive) is None
    return drive, leader, drive.sent

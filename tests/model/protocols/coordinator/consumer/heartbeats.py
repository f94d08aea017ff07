"""Consumer groups that heartbeat their way to a target, and who holds what in them."""

from __future__ import annotations

from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.values.groups import STABLE
from kassay.model.protocols.values.requests import Config
from tests.model.protocols.coordinator.drive import Drive

STRICT = Config(switches=frozenset({"strict_epoch0"}))


def split() -> Drive:
    """Member a owned everything; b has joined, and a has not heard of it."""
    drive = Drive()
    drive.modern("a")
    drive.modern("b")
    return drive


def ack(drive: Drive, member: str):
    """A heartbeat that owns what the coordinator has the member own."""
    found = drive.member(member)
    return drive.modern(member, found.epoch, topic_partitions=found.assigned)


def settle(drive: Drive) -> None:
    for _ in range(4):
        for member in [member.member_id for member in drive.consumer.members]:
            ack(drive, member)
    assert group_state(drive.consumer) == STABLE


def holders(drive: Drive) -> dict[object, set[str]]:
    found: dict[object, set[str]] = {}
    for member in drive.consumer.members:
        for tp in member.assigned + member.pending:
            found.setdefault(tp, set()).add(member.member_id)
    return found


def ack_static(drive: Drive, member: str):
    found = drive.member(member)
    return drive.modern(
        member, found.epoch, group_instance_id=found.group_instance_id, topic_partitions=found.assigned
    )


def settle_static(drive: Drive) -> None:
    for _ in range(4):
        for member in [member.member_id for member in drive.consumer.members]:
            ack_static(drive, member)
    assert group_state(drive.consumer) == STABLE

"""Consumer groups with members of the classic protocol."""

from __future__ import annotations

from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import STABLE
from kassay.model.protocols.values.requests import Subscription
from tests.model.protocols.coordinator.drive import EAGER, Drive

BOTH = EAGER._replace(upgrade=True, downgrade=True)


def old(*switches: str) -> requests.Config:
    """Both conversions allowed, with older rules."""
    return BOTH._replace(switches=frozenset(switches))


POLICIES = {
    "disabled": EAGER,
    "upgrade": EAGER._replace(upgrade=True),
    "downgrade": EAGER._replace(downgrade=True),
    "bidirectional": BOTH,
}


def upgraded(config: requests.Config = BOTH) -> tuple[Drive, list[str]]:
    """A consumer group of two classic members and m, who is not there yet."""
    drive = Drive(config)
    members = drive.stable(2)
    assert drive.modern("m").error == errors.NONE
    return drive, members


def rejoin(drive: Drive, member: str, **more: object):
    """A classic member's round: JoinGroup with what it owns, then SyncGroup; what it is given."""
    found = drive.member(member)
    metadata = Subscription(("foo",), owned=found.assigned)
    joined = drive.join(member, metadata=metadata, **more)
    assert joined.error == errors.NONE
    return drive.sync(member, generation_id=joined.generation_id).assignment


def settle(drive: Drive) -> None:
    for _ in range(6):
        for member in [member.member_id for member in drive.consumer.members]:
            found = drive.member(member)
            if found.classic:
                if drive.heartbeat(member, found.epoch) == errors.REBALANCE_IN_PROGRESS:
                    rejoin(drive, member)
            else:
                drive.modern(member, found.epoch, topic_partitions=found.assigned)
    assert group_state(drive.consumer) == STABLE

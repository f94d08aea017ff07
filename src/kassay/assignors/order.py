"""The order in which Kafka's assignors line members up."""

from __future__ import annotations

from collections.abc import Iterable

from kassay.model.group import Member
from kassay.model.java import utf16_key


def members_in_order(members: Iterable[Member]) -> list[Member]:
    """Static members by instance id, then the others by member id (Kafka's `MemberInfo`)."""
    return sorted(
        members,
        key=lambda member: (
            (True, utf16_key(member.member_id))
            if member.instance_id is None
            else (False, utf16_key(member.instance_id))
        ),
    )

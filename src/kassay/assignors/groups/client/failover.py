"""Failover: one member of each topic works, the others stand by.

All partitions of a topic go to its subscriber of the highest priority, and the next one takes over when
that member leaves. Neither balanced nor sticky: a member of a higher priority takes over when it joins.
A member's priority is its configuration `assignment.consumer.priority` (an int, by default the
greatest), and travels in its user data as four bytes, big-endian. User data that is missing or shorter
counts as the default; bytes after the fourth are ignored.
Tie-breaks: static members by instance id, then the others by member id.
Source: the `FailoverAssignor` with which articles on custom assignors illustrate active/passive groups.
Theirs assigns everything to one member; this one respects subscriptions: no member gets a topic it does not
read.
Cost: O(M log M + S + P) for M members with S topic subscriptions and P partitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, error
from typing import Final

from kassay.assignors.groups.client.range import readers_by_topic
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group, Member

PRIORITY_KEY: Final = "assignment.consumer.priority"
PRIORITY_DEFAULT: Final = 2**31 - 1
_INT32: Final = Struct(">i")


@reference(
    "failover",
    claims=("active-passive", "deterministic", "order-independent", "static-stable"),
    source="FailoverAssignor",
)
class Failover(AssignorBase):
    """Assigns all partitions of a topic to its subscriber of the highest priority."""

    name = "failover"

    def __init__(self) -> None:
        self._priority = PRIORITY_DEFAULT

    def configure(self, config: Mapping[str, str]) -> None:
        """Take the member's priority; raises `InputError` unless it is an int of 32 bits."""
        stated = config.get(PRIORITY_KEY, str(PRIORITY_DEFAULT))
        try:
            self._priority = int(stated)
            _INT32.pack(self._priority)
        except (ValueError, error):
            raise InputError(f"{PRIORITY_KEY}: expected an integer of 32 bits, got {stated!r}") from None

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """The member's priority."""
        return _INT32.pack(self._priority)

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Assign each member all partitions of its topics."""
        assignment: dict[str, list[TopicPartition]] = {member.member_id: [] for member in group.members}
        readers = readers_by_topic(group)
        for topic, partitions in cluster.partitions.items():
            if topic in readers:
                # `max` returns the first of equal members, and readers are in order.
                active = max(readers[topic], key=priority_of)
                assignment[active.member_id] += partitions
        return Assignment(assignment)


def priority_of(member: Member) -> int:
    """The priority in a member's user data."""
    data = member.user_data
    if data is None or len(data) < _INT32.size:
        return PRIORITY_DEFAULT
    priority: int = _INT32.unpack_from(data)[0]
    return priority

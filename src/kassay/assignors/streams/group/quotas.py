"""A quota for the members of a Streams group that have room; it is updated as tasks are assigned.

Source: Kafka `StickyTaskAssignor` of the group coordinator.
"""

from __future__ import annotations


class MemberQuota:
    """The tasks left for each member that has room, rounded up; 0 without a member.

    >>> quota = MemberQuota(5, 2)
    >>> quota.each
    3
    >>> quota.reached_by(3)
    >>> quota.each
    2
    """

    __slots__ = ("_members", "_tasks", "each")

    def __init__(self, tasks: int, members: int) -> None:
        self._tasks = tasks
        self._members = members
        self.each = self._share()

    def reached_by(self, count: int) -> None:
        """Record that a member has this many tasks: at the quota, it and its tasks no longer count."""
        if count == self.each:
            self._members -= 1
            self._tasks -= count
            self.each = self._share()

    def _share(self) -> int:
        return -(-self._tasks // self._members) if self._members else 0

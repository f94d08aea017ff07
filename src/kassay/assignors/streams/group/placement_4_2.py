"""The rule of the broker's sticky assignor in 4.2 and 4.3, where only standby copies count as state.

Source: Kafka `StickyTaskAssignor` of the group coordinator, branches 4.2 and 4.3 (KAFKA-19478, KAFKA-19661).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kassay.assignors.java_errors import InternalTaskAssignorError
from kassay.assignors.streams.group.placement import StickyPlacement
from kassay.assignors.streams.group.processes import GroupMember
from kassay.model.java.hashes import bucket_order, string_hash
from kassay.model.streams.group import GroupTask


class CopiesOnlyPlacement(StickyPlacement):
    """One run of the rule with the fix of KAFKA-20899: members that have the task already are skipped."""

    error = InternalTaskAssignorError

    def _process_order(self, process_ids: Sequence[str]) -> list[str]:
        """The order of the process map, filled by `putIfAbsent`."""
        return bucket_order(process_ids, string_hash, len(process_ids))

    def _with_state(self) -> Mapping[GroupTask, Sequence[GroupMember]]:
        """The members with a standby copy of each task, in their order."""
        with_copy: dict[GroupTask, list[GroupMember]] = {}
        for member in self.members:
            for task in member.before.standby:
                with_copy.setdefault(task, []).append(member)
        return with_copy


class FirstCopyPlacement(CopiesOnlyPlacement):
    """One run of the rule before KAFKA-20899: if the first member has the task already, none is chosen."""

    def _choose(self, task: GroupTask, *, standby: bool = False) -> GroupMember | None:
        """The first member with a copy, unless a later one and its process have fewer tasks.

        For a standby copy, later members whose process has the task are skipped, but not the first one.
        """
        copies = self.with_state.get(task, ())
        if not copies or (standby and task in copies[0].process.tasks):
            return None
        choice, load, count = copies[0], copies[0].process.load, copies[0].count
        for member in copies[1:]:
            passed = standby and task in member.process.tasks
            if not passed and member.process.load < load and member.count < count:
                choice, load, count = member, member.process.load, member.count
        return choice

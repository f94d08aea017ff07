"""Checks for the vectors of the broker's assignor of Streams tasks: `streams-group-sticky`.

Members are in the recorded iteration order, or else in the order of Java's hash table; processes, and the
members of each, follow from it by hash. Answers are sets per member and kind; `exact` also requires an entry
for each member.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kassay.kinds.vectors import Runs, compared, vector_format
from kassay.model.errors import InputError
from kassay.model.java import hash_map_order
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.streams.threads import GroupTaskAssignor
from kassay.reading.documents import Limited, within


@dataclass(frozen=True)
class GroupSubtopology:
    """A subtopology and its number of tasks."""

    id: str
    partitions: Limited
    stateful: bool


@dataclass(frozen=True)
class GroupMemberState:
    """A member before the rebalance; an offset is written `[subtopology, partition, offset]`."""

    id: str
    process_id: str
    active: Runs
    standby: Runs
    task_offsets: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True)
class GroupOrder:
    """The iteration order of the coordinator's map of members."""

    members: tuple[str, ...]


@dataclass(frozen=True)
class GroupMemberTasks:
    """The tasks of a member."""

    active: Runs
    standby: Runs


@dataclass(frozen=True)
class GroupTasksExpected:
    """Kafka's answer, or the Java class of its error."""

    assignment: Mapping[str, GroupMemberTasks] | None = None
    error: str | None = None


@dataclass(frozen=True)
class StreamsGroupVector:
    """One vector."""

    subtopologies: tuple[GroupSubtopology, ...]
    num_standby_replicas: Limited
    members: tuple[GroupMemberState, ...]
    expected: GroupTasksExpected
    iteration_order: GroupOrder | None = None

    @property
    def group(self) -> StreamsGroup:
        """The assignor's input."""
        within((max(0, each.partitions) for each in self.subtopologies), "subtopologies", "tasks")
        listed = {member.id: member for member in self.members}
        order = self.iteration_order.members if self.iteration_order else hash_map_order(listed)
        return StreamsGroup(
            subtopologies=tuple(Subtopology(s.id, s.partitions, s.stateful) for s in self.subtopologies),
            members=tuple(_member(listed[member_id]) for member_id in order),
            standby_replicas=self.num_standby_replicas,
        )

    @property
    def answer(self) -> dict[str, MemberTasks]:
        """Kafka's answer; empty where it raised an error."""
        return {
            member_id: MemberTasks(_tasks(tasks.active), _tasks(tasks.standby))
            for member_id, tasks in (self.expected.assignment or {}).items()
        }


def _member(member: GroupMemberState) -> StreamsMember:
    offsets = tuple((GroupTask(sub, p), offset) for sub, p, offset in member.task_offsets)
    return StreamsMember(member.id, member.process_id, _tasks(member.active), _tasks(member.standby), offsets)


def _tasks(runs: Runs) -> tuple[GroupTask, ...]:
    return tuple(GroupTask(subtopology, p) for subtopology, partitions in runs for p in partitions)


@vector_format("streams-group-sticky", StreamsGroupVector, reference="streams-group-sticky")
def check_streams_group(vector: StreamsGroupVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """Compare the target's answer with Kafka's `StickyTaskAssignor` of the group coordinator."""
    if vector.expected.assignment is None and vector.expected.error is None:
        raise InputError("expected: neither assignment nor error")
    group, wanted = vector.group, vector.answer

    def answered() -> Mapping[str, MemberTasks]:
        target = factory()
        answer: Mapping[str, MemberTasks] = (
            target.assign_group(group) if isinstance(target, GroupTaskAssignor) else target.assign(group)
        )
        return answer

    return compared(
        answered,
        vector.expected.error,
        lambda answer: _difference(wanted, answer, exact),
        exact=exact,
    )


def _difference(
    wanted: Mapping[str, MemberTasks], answer: Mapping[str, MemberTasks], exact: bool
) -> str | None:
    """The difference between the answer and Kafka's, member by member, or None."""
    if strange := answer.keys() - wanted.keys():
        return f"{min(strange)} is no member of the group"
    if exact and (missing := wanted.keys() - answer.keys()):
        return f"no entry for {min(missing)}"
    for member_id, theirs in wanted.items():
        mine = answer.get(member_id, MemberTasks())
        for kind, have, want in zip(MemberTasks._fields, mine, theirs):
            if sorted(have) != sorted(want):
                return f"{member_id}: {kind} {_shown(have)}, Kafka gives {_shown(want)}"
    return None


def _shown(tasks: Iterable[GroupTask]) -> str:
    return " ".join(map(str, sorted(tasks))) or "nothing"

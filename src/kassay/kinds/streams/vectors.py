"""Golden vectors of Kafka's task assignors: of the broker, by member, and of clients, by process.

Checks for the vectors of the broker's assignor of Streams tasks: `streams-group-sticky`.

Members are in the recorded iteration order, or else in the order of Java's hash table; processes, and the
members of each, follow from it by hash. Answers are sets per member and kind; `exact` also requires an entry
for each member.

Checks for the vectors of `streams-sticky`, `streams-public-sticky` and `streams-highavailability`.

Clients and tasks are in the recorded iteration order, or else in the order of Java's hash tables. Answers are
sets per process and kind, and whether a probing rebalance follows; `exact` also requires an entry for each
process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kassay.kinds.vectors import Runs, compared, vector_format
from kassay.model.errors import InputError
from kassay.model.java import hash_map_order
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember, Subtopology
from kassay.model.streams.tasks import (
    ClientTasks,
    GroupTaskAssignor,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    process_hash_order,
    task_hash_order,
)
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


@dataclass(frozen=True)
class StreamsProcess:
    """A process before the rebalance; lags by task, the values of tags by key."""

    process_id: str
    capacity: int
    prev_active: tuple[str, ...]
    prev_standby: tuple[str, ...]
    lags: Mapping[str, int]
    client_tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StreamsOrder:
    """The iteration order of Kafka's maps and sets."""

    clients: tuple[str, ...]
    all_tasks: tuple[str, ...]
    stateful_tasks: tuple[str, ...]


@dataclass(frozen=True)
class StreamsTasks:
    """The tasks of a process."""

    active: tuple[str, ...]
    standby: tuple[str, ...]


@dataclass(frozen=True)
class StreamsExpected:
    """Kafka's answer, or the Java class of its error."""

    assignment: Mapping[str, StreamsTasks] = field(default_factory=dict)
    probing_rebalance: bool = False
    error: str | None = None


@dataclass(frozen=True)
class StreamsVector:
    """One vector."""

    clients: tuple[StreamsProcess, ...]
    all_tasks: tuple[str, ...]
    stateful_tasks: tuple[str, ...]
    num_standby_replicas: int
    acceptable_recovery_lag: int
    max_warmup_replicas: int
    expected: StreamsExpected
    iteration_order: StreamsOrder | None = None
    rack_aware_assignment_tags: tuple[str, ...] = ()

    @property
    def request(self) -> TaskRequest:
        """The assignor's input."""
        listed = {client.process_id: client for client in self.clients}
        if (order := self.iteration_order) is None:
            ids: Sequence[str] = process_hash_order(listed)
            tasks = tuple(task_hash_order(_processes_tasks(self.all_tasks)))
            stateful = tuple(task_hash_order(_processes_tasks(self.stateful_tasks)))
        else:
            ids, tasks, stateful = (
                order.clients,
                _processes_tasks(order.all_tasks),
                _processes_tasks(order.stateful_tasks),
            )
        return TaskRequest(
            clients=tuple(_client(listed[process_id]) for process_id in ids),
            tasks=tasks,
            stateful=stateful,
            standby_replicas=self.num_standby_replicas,
            acceptable_recovery_lag=self.acceptable_recovery_lag,
            warmup_replicas_max=self.max_warmup_replicas,
            rack_aware_tags=self.rack_aware_assignment_tags,
        )

    @property
    def answer(self) -> TaskAssignment:
        """Kafka's answer."""
        tasks_by_process = {
            process_id: ClientTasks(_processes_tasks(tasks.active), _processes_tasks(tasks.standby))
            for process_id, tasks in self.expected.assignment.items()
        }
        return TaskAssignment(tasks_by_process, self.expected.probing_rebalance)


def _client(client: StreamsProcess) -> TaskClient:
    return TaskClient(
        process_id=client.process_id,
        capacity=client.capacity,
        previous_active=_processes_tasks(client.prev_active),
        previous_standby=_processes_tasks(client.prev_standby),
        lags=tuple((TaskId.parse(task), lag) for task, lag in client.lags.items()),
        tags=tuple(sorted(client.client_tags.items())),
    )


def _processes_tasks(texts: Iterable[str]) -> tuple[TaskId, ...]:
    return tuple(map(TaskId.parse, texts))


@vector_format("streams-sticky", StreamsVector, reference="streams-sticky")
@vector_format("streams-public-sticky", StreamsVector, reference="streams-public-sticky")
@vector_format("streams-highavailability", StreamsVector, reference="streams-high-availability")
def check_streams(vector: StreamsVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """Compare the target's answer with Kafka's task assignor of that algorithm."""
    request, wanted = vector.request, vector.answer
    return compared(
        lambda: factory().assign(request),
        vector.expected.error,
        lambda answer: _processes_difference(wanted, answer, exact),
        exact=exact,
    )


def _processes_difference(wanted: TaskAssignment, answer: TaskAssignment, exact: bool) -> str | None:
    """The difference between the answer and Kafka's, process by process, or None."""
    if exact and answer.processes.keys() != wanted.processes.keys():
        return f"answers for {_listed(answer.processes)}, Kafka for {_listed(wanted.processes)}"
    for process_id in sorted(wanted.processes.keys() | answer.processes.keys()):
        mine = answer.processes.get(process_id, ClientTasks())
        theirs = wanted.processes.get(process_id, ClientTasks())
        for kind, have, want in zip(ClientTasks._fields, mine, theirs):
            if sorted(have) != sorted(want):
                return f"{process_id}: {kind} {_processes_shown(have)}, Kafka gives {_processes_shown(want)}"
    if answer.probing_rebalance != wanted.probing_rebalance:
        return f"probing rebalance {answer.probing_rebalance}, Kafka says {wanted.probing_rebalance}"
    return None


def _listed(process_ids: Iterable[str]) -> str:
    return " ".join(sorted(process_ids)) or "no process"


def _processes_shown(tasks: Iterable[TaskId]) -> str:
    return " ".join(map(str, sorted(tasks))) or "nothing"

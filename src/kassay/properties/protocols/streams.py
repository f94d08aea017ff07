"""Invariants of Streams groups (KIP-1071): tasks, processes, and the effects of refused requests.

The invariants of `ownership` check the owners of active tasks, which they read like partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, Final

from kassay.model.explore.values import Finding, Severity
from kassay.model.protocols.census import Holding, TaskCensus
from kassay.model.protocols.values.groups import MEMBER_STABLE
from kassay.model.protocols.values.requests import STATIC_LEAVE_EPOCH
from kassay.model.protocols.values.streams import HeldTasks
from kassay.model.protocols.values.streams_groups import UNREVOKED_TASKS, StreamsTaskGroup, StreamsTaskMember
from kassay.properties.protocols.registry import (
    REFUSED,
    STREAMS_GROUP,
    TASKS,
    RefusedStep,
    always,
    each_step,
    real,
)

_KIP: Final = "KIP-1071"


def _named(tasks: Iterable[Any]) -> str:
    return ",".join(map(str, sorted(tasks)))


def _mates(holdings: Iterable[Holding]) -> Iterator[tuple[Holding, Holding]]:
    """Every pair in one process."""
    return ((one, other) for one, other in combinations(holdings, 2) if one.process == other.process)


@always(
    "one-copy-per-process",
    TASKS,
    source=_KIP,
    where=lambda tasks: any(holding.copies for holding in (*tasks.record, *tasks.belief)),
)
def one_copy_per_process(tasks: TaskCensus) -> Iterator[Finding]:
    """No process has a task twice: its threads share a state directory, which only one of them can open."""
    for holding in (*tasks.record, *tasks.belief):
        if both := set(holding.active) & set(holding.copies):
            yield real(f"{holding.who} has {_named(both)} as active and as standby tasks")
    for one, other in _mates(tasks.record):
        if both := _held(one) & _held(other):
            yield real(
                f"{one.who} and {other.who} of process {one.process} are both recorded with {_named(both)}"
            )
    for one, other in _mates(tasks.belief):
        if both := _held(one) & _held(other):
            severity = Severity.REAL if one.current and other.current else Severity.ZOMBIE
            message = f"{one.who} and {other.who} of process {one.process} both open {_named(both)}"
            yield Finding(severity, message)


def _held(holding: Holding) -> set[Any]:
    return {*holding.active, *holding.copies, *holding.parting}


@always(
    "standbys-at-rest",
    TASKS,
    source="KIP-1071, num.standby.replicas",
    where=lambda tasks: tasks.resting and bool(tasks.standbys and tasks.stateful and tasks.record),
)
def standbys_at_rest(tasks: TaskCensus) -> Iterator[Finding]:
    """In a stable group every stateful task has its copies, in processes other than its owner's."""
    for task in tasks.stateful:
        owners = {holding.process for holding in tasks.record if task in holding.active}
        others = {holding.process for holding in tasks.record} - owners
        kept = {holding.process for holding in tasks.record if task in holding.copies}
        due = min(tasks.standbys, len(others))
        if len(kept & others) != due:
            yield real(f"{len(kept & others)} processes of the stable group keep {task}; expected {due}")
        believed = {holding.process for holding in tasks.belief if task in holding.copies}
        if believed != kept:
            yield real(
                f"the stable group records copies of {task} in {_named(kept)}, not in {_named(believed)}"
            )


@always(
    "no-server-error",
    TASKS,
    source="StreamsGroupHeartbeatRequestManager ends a client by every error that it does not expect",
    where=lambda tasks: bool(tasks.ended),
)
def no_server_error(tasks: TaskCensus) -> Iterator[Finding]:
    """No client is ended by UNKNOWN_SERVER_ERROR: the coordinator has an answer to everything."""
    for client, error in tasks.ended:
        if error == "UNKNOWN_SERVER_ERROR":
            yield real(f"{client} is ended by {error}")


def _clients(tasks: TaskCensus) -> set[str]:
    """All clients that run a task or have taken one over, including those that left since."""
    return {holding.who for holding in tasks.belief} | {client for _, client in tasks.adopted}


@always(
    "commits-fenced",
    TASKS,
    short="I5",
    source="KIP-1251",
    where=lambda tasks: any(holding.commits for holding in tasks.belief) and len(_clients(tasks)) > 1,
)
def task_commits_fenced(tasks: TaskCensus) -> Iterator[Finding]:
    """No commit is accepted for a task that another client has since taken over."""
    last = dict(tasks.adopted)
    for holding in tasks.belief:
        for task in holding.commits:
            if last.get(task, holding.who) != holding.who:
                yield real(
                    f"a commit of {holding.who} for {task} would be accepted though {last[task]} took over"
                )


@always(
    "epochs-in-order",
    STREAMS_GROUP,
    short="I11",
    source=_KIP,
    where=lambda group: bool(group.members),
)
def task_epochs_in_order(group: StreamsTaskGroup) -> Iterator[Finding]:
    """Member epoch <= target epoch <= group epoch, pending tasks exactly while unrevoked, none held twice."""
    if group.target_epoch > group.epoch:
        yield real(f"target epoch {group.target_epoch} is above group epoch {group.epoch}")
    for member in group.members:
        if member.epoch in (-2, 0):
            continue
        if member.epoch > group.target_epoch:
            yield real(
                f"{member.member_id} is at epoch {member.epoch}, above target epoch {group.target_epoch}"
            )
        yield from _pending(member)
    for one, other in combinations(group.members, 2):
        if both := _actives(one) & _actives(other):
            yield real(f"{one.member_id} and {other.member_id} both hold {_named(both)}")


def _pending(member: StreamsTaskMember) -> Iterator[Finding]:
    waits = member.pending != HeldTasks()
    if member.state == MEMBER_STABLE and waits:
        yield real(f"{member.member_id} is stable and has tasks to revoke")
    if member.state == UNREVOKED_TASKS and not waits:
        yield real(f"{member.member_id} is unrevoked and has nothing to revoke")


def _actives(member: StreamsTaskMember) -> set[Any]:
    return {*member.assigned.active, *member.pending.active}


@each_step(
    "members-change-the-epoch",
    STREAMS_GROUP,
    source="KIP-1071: whatever the assignment depends on bumps the group epoch",
    where=lambda old, new: _processes(old) != _processes(new),
)
def members_change_the_epoch(old: StreamsTaskGroup, new: StreamsTaskGroup) -> Iterator[Finding]:
    """A member that joins, leaves or changes its process advances the group epoch: a target becomes due."""
    if new.epoch <= old.epoch:
        yield real(f"the members changed, and the group epoch is still {new.epoch}")


def _processes(group: StreamsTaskGroup) -> tuple[tuple[str, str], ...]:
    """The members by what stays constant: a static one that returns under another id counts as the same."""
    return tuple(sorted((m.group_instance_id or m.member_id, m.process_id) for m in group.members))


@always(
    "endpoints-at-rest",
    TASKS,
    source="KIP-1071, application.server: interactive queries go where the tasks are",
    where=lambda tasks: tasks.resting and bool(tasks.endpoints),
)
def endpoints_at_rest(tasks: TaskCensus) -> Iterator[Finding]:
    """In a stable group every client without further updates knows the partitions of each endpoint."""
    for one in tasks.endpoints:
        if one.known != one.actual:
            yield real(
                f"{one.client} gets no further endpoints and knows {_listed(one.known)}; the group has "
                f"{_listed(one.actual)}"
            )


def _listed(endpoints: Iterable[Any]) -> str:
    """Endpoints with their partitions, in one line."""
    texts = (
        f"{one.endpoint} with {_named(one.active) or 'nothing'}"
        + (f", copies {_named(one.standby)}" if one.standby else "")
        for one in endpoints
    )
    return "; ".join(texts) or "none"


@always(
    "offsets-known-at-rest",
    TASKS,
    source="KIP-1071: offsets are not recorded, so clients must report them again to a new coordinator",
    where=lambda tasks: tasks.resting and any(report.said for report in tasks.reports),
)
def offsets_known_at_rest(tasks: TaskCensus) -> Iterator[Finding]:
    """In a stable group the coordinator knows the task offsets that clients will not report again."""
    for client, said, known in tasks.reports:
        if said != known:
            yield real(f"{client} reported {_counted(said)} for the last time; known is {_counted(known)}")


def _counted(offsets: Iterable[tuple[Any, int]]) -> str:
    return ", ".join(f"{task} at {offset}" for task, offset in offsets) or "nothing"


@always(
    "topologies-agree",
    STREAMS_GROUP,
    source="KIP-1071: another topology than the group's is refused, an older one is STALE_TOPOLOGY",
    where=lambda group: bool(group.members and group.topology),
)
def topologies_agree(group: StreamsTaskGroup) -> Iterator[Finding]:
    """No member has a newer topology than the group's, which determines all tasks."""
    (topology,) = group.topology
    for member in group.members:
        if member.topology_epoch > topology.epoch:
            yield real(
                f"{member.member_id} runs topology {member.topology_epoch}; the group's is {topology.epoch}"
            )


@each_step(
    "static-return-keeps-tasks",
    STREAMS_GROUP,
    source="KIP-345, KIP-1071: a static member that comes back in time takes up what it had",
    where=lambda old, new: any(True for _ in _returns(old, new)),
)
def static_return_keeps_tasks(old: StreamsTaskGroup, new: StreamsTaskGroup) -> Iterator[Finding]:
    """A static member that returns under another id keeps those of its tasks that its target has."""
    for was, now in _returns(old, new):
        due = {*was.assigned.active} & {*_target_of(old, was.member_id)} & {*_target_of(new, now.member_id)}
        if missing := due - _actives(now):
            yield real(f"{now.member_id} returned in place of {was.member_id} and has lost {_named(missing)}")


def _returns(
    old: StreamsTaskGroup, new: StreamsTaskGroup
) -> Iterator[tuple[StreamsTaskMember, StreamsTaskMember]]:
    """Static members that return in a step, before and after."""
    away = {
        m.group_instance_id: m for m in old.members if m.group_instance_id and m.epoch == STATIC_LEAVE_EPOCH
    }
    for member in new.members:
        was = away.get(member.group_instance_id)
        if was is not None and was.member_id != member.member_id:
            yield was, member


def _target_of(group: StreamsTaskGroup, member_id: str) -> tuple[Any, ...]:
    """The active tasks in a member's target."""
    return next((roles.active for name, roles in group.target if name == member_id), ())


@each_step("refused-changes-nothing", REFUSED, source="KIP-1071; a request that fails is as if it never came")
def refused_changes_nothing(before: RefusedStep, after: RefusedStep) -> Iterator[Finding]:
    """A request that is refused, or cannot be written, leaves group and log unchanged."""
    heard = ", ".join(_errors(before, after)) or "a request is refused"
    if before.log != after.log:
        yield real(f"{heard}, and the log has changed")
    elif before.group != after.group:
        yield real(f"{heard}, and the group has changed: {_differences(before.group, after.group)}")


def _errors(before: RefusedStep, after: RefusedStep) -> Iterator[str]:
    """The clients that get an error in a step, with the error, including replies in flight."""
    for number, (old, new) in enumerate(zip(before.clients, after.clients), 1):
        if len(new.wire.back) > len(old.wire.back):
            yield f"c{number} gets {new.wire.back[-1].body.error}"
        elif old.state != new.state:
            yield f"c{number} becomes {new.state}{f' by {new.ended_by}' if new.ended_by else ''}"


def _differences(old: Any, new: Any) -> str:
    """The fields in which two groups differ."""
    if old is None or new is None or type(old) is not type(new):
        return "a group that was not there, or no longer is"
    fields = (name for name, was, now in zip(old._fields, old, new) if was != now)
    return ", ".join(name.replace("_", " ") for name in fields)

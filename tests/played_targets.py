"""The records of share groups and Streams groups whose coordinator answers like kassay's references.

A coordinator writes the changes of members, the epoch, the changed targets, their epoch, and then the current
assignments: in a Streams group first those of members that must revoke a task.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import TopicPartition
from kassay.model.groups.step import Rebalanced
from kassay.model.streams.history import TaskHistory, TaskStep, asking, play_tasks
from kassay.model.streams.tasks import ClientTasks, TaskId
from tests.offsets_log import Log
from tests.played_log import Ids, by_id, client_of, topic_id


def write_share(log: Log, group: str, rebalanced: Iterable[Rebalanced], *, ids: Ids = topic_id) -> None:
    """The records of a share group: its state if that changes, then members, epoch and targets."""
    reads: dict[str, tuple[str, ...]] = {}
    targets: dict[str, tuple[TopicPartition, ...]] = {}
    ready: tuple[TopicPartition, ...] | None = None
    for epoch, each in enumerate(rebalanced, start=1):
        step = each.steps[-1]
        members = {m.member_id: m for m in step.group.members}
        for gone in [member for member in reads if member not in members]:
            log.share_current(group, gone, None)
            log.share_target(group, gone, None)
            log.share_member(group, gone, None)
            del reads[gone]
            targets.pop(gone, None)
        for member, m in members.items():
            if reads.get(member) != m.topics:
                reads[member] = m.topics
                log.share_member(group, member, m.topics, client=client_of(member))
        read = {topic for m in members.values() for topic in m.topics}
        every = [tp for tp in sorted(step.cluster.everything) if tp.topic in read]
        assignable = step.group.assignable
        now = tuple(by_id((tp for tp in every if assignable is None or tp in assignable), ids))
        if now != ready:
            ready = now
            later = by_id((tp for tp in every if assignable is not None and tp not in assignable), ids)
            log.shareable(group, {ids(topic): topic for topic in read}, now, later)
        log.share_epoch(group, epoch)
        log.next(50)
        for member in members:
            target = by_id(step.given.get(member, ()), ids)
            if targets.get(member) != target:
                targets[member] = target
                log.share_target(group, member, target)
        log.share_target_epoch(group, epoch)
        log.next(50)
        for member, target in targets.items():
            log.share_current(group, member, epoch, target)
            log.next(500)


def played_tasks(spec: str, history: TaskHistory) -> list[TaskStep]:
    """The rebalances of the history against a reference of Streams tasks."""
    with resolve(spec).open() as host:
        return list(play_tasks(history, asking(lambda: host.new({}))))


def as_tasks(tasks: Iterable[TaskId]) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(str(task.subtopology), task.partition) for task in tasks)


def write_streams(
    log: Log,
    group: str,
    steps: Iterable[TaskStep],
    *,
    standbys_said: bool = True,
    reads: Sequence[str] = (),
) -> None:
    """The records of a Streams group; its subtopologies read these topics, by default `in-0`, `in-1`, ..."""
    homes: dict[str, str] = {}
    targets: dict[str, ClientTasks] = {}
    has: dict[str, ClientTasks] = {}
    for epoch, step in enumerate(steps, start=1):
        members = {m.member_id: c.process_id for c in step.request.clients for m in c.members}
        for gone in [member for member in homes if member not in members]:
            log.streams_current(group, gone, None)
            log.streams_target(group, gone, None)
            log.streams_member(group, gone, None)
            del homes[gone]
            targets.pop(gone, None), has.pop(gone, None)
        for member, process in members.items():
            if member not in homes:
                homes[member] = process
                log.streams_member(group, member, process, client=f"app-{process[-2:]}")
        if epoch == 1:
            stateful = {task.subtopology for task in step.request.stateful}
            subs = sorted({task.subtopology for task in step.request.tasks})
            log.topology(
                group, {str(sub): ((reads[sub] if reads else f"in-{sub}",), sub in stateful) for sub in subs}
            )
        log.streams_epoch(group, epoch, step.request.standby_replicas if standbys_said else None)
        log.next(50)
        given = step.given.members or {}
        for member in members:
            target = given.get(member, ClientTasks())
            if targets.get(member) != target:
                targets[member] = target
                log.streams_target(group, member, as_tasks(target.active), as_tasks(target.standby))
        log.streams_target_epoch(group, epoch)
        log.next(50)
        _reconcile(log, group, epoch, targets, has)
        log.next(60_000)


def _reconcile(
    log: Log, group: str, epoch: int, targets: dict[str, ClientTasks], has: dict[str, ClientTasks]
) -> None:
    """Heartbeats until every member has its target; revocations first."""
    for member, target in targets.items():
        had = has.get(member, ClientTasks())
        lost = as_tasks(task for task in had.active if task not in target.active)
        kept = as_tasks(task for task in had.active if task in target.active)
        if lost:
            log.streams_current(group, member, epoch - 1, kept, (), lost, state=2)
            log.next(500)
            log.streams_current(group, member, epoch, kept, state=3)
            log.next(500)
    for member, target in targets.items():
        has[member] = target
        log.streams_current(group, member, epoch, as_tasks(target.active), as_tasks(target.standby))
        log.next(500)

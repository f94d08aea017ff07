"""The restore progress of a stream thread's tasks, and its reports in heartbeats.

Every changelog has one record here: state is either restored or not. An active task is restored first, a copy
when its thread gets to it; state that no thread keeps is deleted. A report is repeated only after an error or
a lost reply. Source: `StreamsGroupHeartbeatRequestManager.HeartbeatState` of branch 4.4; KIP-1071.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.values.streams.tasks import OffsetsOfTasks, TaskIds, TaskRoles

END: Final = 1
"""The end offset of every changelog."""


def stateful(config: ClientConfig, rollout_step: int, tasks: TaskIds) -> TaskIds:
    """The stateful tasks among these, in order."""
    kept = {part.subtopology_id for part in config.topology(rollout_step).subtopologies if part.changelogs}
    return tuple(sorted(task for task in tasks if task.subtopology in kept))


def restored_by(running: TaskRoles, restored: TaskIds) -> TaskIds:
    """The tasks with restored state once a thread runs and keeps these tasks, given those restored before."""
    copies = {*running.standby, *running.warmup}
    return tuple(sorted({*running.active, *(task for task in restored if task in copies)}))


def offsets(held: TaskIds, restored: TaskIds) -> OffsetsOfTasks:
    """The offset of each task."""
    return tuple((task, END if task in restored else 0) for task in held)


def ends(held: TaskIds) -> OffsetsOfTasks:
    """The end offset of each task."""
    return tuple((task, END) for task in held)


def restorable(copies: TaskIds, restored: TaskIds) -> Iterator[tuple[str, TaskIds]]:
    """Each copy that can be restored next, with the restored tasks afterwards."""
    for task in copies:
        if task not in restored:
            yield str(task), tuple(sorted({*restored, task}))

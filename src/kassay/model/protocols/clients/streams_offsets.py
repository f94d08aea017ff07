"""How far the state of a stream thread's tasks is, and what it says of that in its heartbeats.

A changelog has one record here: state is restored or it is not. A task that is run is restored first, a copy
when its thread gets round to it; state that nobody keeps any more is deleted. What was said once is said
again only after an error or a lost answer.
Source: `StreamsGroupHeartbeatRequestManager.HeartbeatState` of branch 4.4; KIP-1071.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.values.streams.tasks import OffsetsOfTasks, TaskIds, TaskRoles

END: Final = 1
"""Where every changelog ends."""


def stateful(config: ClientConfig, rollout_step: int, tasks: TaskIds) -> TaskIds:
    """Those of some tasks that have state, in order."""
    kept = {part.subtopology_id for part in config.topology(rollout_step).subtopologies if part.changelogs}
    return tuple(sorted(task for task in tasks if task.subtopology in kept))


def restored_by(running: TaskRoles, restored: TaskIds) -> TaskIds:
    """Whose state is there once a thread runs and keeps these tasks, of which some were restored before."""
    copies = {*running.standby, *running.warmup}
    return tuple(sorted({*running.active, *(task for task in restored if task in copies)}))


def offsets(held: TaskIds, restored: TaskIds) -> OffsetsOfTasks:
    """How far the state of each task is."""
    return tuple((task, END if task in restored else 0) for task in held)


def ends(held: TaskIds) -> OffsetsOfTasks:
    """How far it could be."""
    return tuple((task, END) for task in held)


def restorable(copies: TaskIds, restored: TaskIds) -> Iterator[tuple[str, TaskIds]]:
    """Each copy that can be restored next, and what is restored then."""
    for task in copies:
        if task not in restored:
            yield str(task), tuple(sorted({*restored, task}))

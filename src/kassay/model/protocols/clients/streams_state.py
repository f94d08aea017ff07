"""The state of a stream thread: its state machine as data, and how far the state of its tasks is.

`CLIENT` is the table. Kafka's PREPARE_LEAVING and LEAVING are left as soon as they are entered where a leave
is one step, and so have no rows of their own.

Every changelog has one record here: state is either restored or not. An active task is restored first, a
copy when its thread gets to it; state that no thread keeps is deleted. A report is repeated only after
an error or a lost reply. Source: KIP-1071; `StreamsGroupHeartbeatRequestManager.HeartbeatState` of
branch 4.4;
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, Rule, Table
from kassay.model.protocols.values.streams import OffsetsOfTasks, TaskIds, TaskRoles


class StreamsState(StrEnum):
    """The client's own state machine (`MemberState`)."""

    UNSUBSCRIBED = "Unsubscribed"
    JOINING = "Joining"
    RECONCILING = "Reconciling"
    ACKNOWLEDGING = "Acknowledging"
    STABLE = "Stable"
    FENCED = "Fenced"
    STALE = "Stale"
    FATAL = "Fatal"


class StreamsEvent(StrEnum):
    """The client's own actions, and the replies that it gets."""

    SUBSCRIBE = "subscribe"
    ASSIGNED = "ok with tasks, or a group that is ready or no longer is"
    OK = "ok"
    REVOKED = "active tasks revoked"
    RECONCILED = "tasks assigned"
    SENT = "heartbeat generated"
    FENCED = "FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID"
    LOST = "callback of lost tasks"
    FAILED = "request failed, retriable error"
    POLL_EXPIRED = "max.poll.interval.ms expired"
    POLLED = "polled again"
    CLOSE = "close"
    FATAL = "fatal error, unknown subtopology"


_S = StreamsState
_E = StreamsEvent
_RULES: Final = {
    _E.ASSIGNED: Rule((_S.RECONCILING,), "note the target, local epoch + 1"),
    _E.FENCED: Rule((_S.FENCED,), "stop heartbeats, epoch := 0"),
    _E.POLL_EXPIRED: Rule((_S.STALE,), "leave with epoch -1 (static: -2)"),
    _E.CLOSE: Rule((_S.UNSUBSCRIBED,), "give all tasks up, leave with epoch -1 (static: -2, or -1)"),
    _E.FATAL: Rule((_S.FATAL,), "give up; all tasks are lost"),
}


def _member(state: StreamsState) -> dict[StreamsEvent, Rule]:
    return (
        dict.fromkeys(_E, IMPOSSIBLE)
        | _RULES
        | {
            _E.OK: Rule((state,), "note the epoch"),
            _E.SENT: Rule((state,), "send the tasks if others were named last"),
            _E.FAILED: Rule((state,), "name the tasks again next time"),
        }
    )


_OUTSIDE: Final = dict.fromkeys(_E, IMPOSSIBLE) | dict.fromkeys(
    (_E.OK, _E.ASSIGNED, _E.FENCED, _E.FAILED, _E.FATAL), IGNORE
)

CLIENT: Final[Table] = {
    _S.UNSUBSCRIBED: _OUTSIDE | {_E.SUBSCRIBE: Rule((_S.JOINING,), "join with epoch 0")},
    _S.JOINING: _member(_S.JOINING) | {_E.SENT: Rule((_S.JOINING,), "send everything, and no tasks")},
    _S.RECONCILING: _member(_S.RECONCILING)
    | {
        _E.REVOKED: Rule((_S.RECONCILING,), "commit, give up the active tasks that the target lacks"),
        _E.RECONCILED: Rule((_S.ACKNOWLEDGING,), "run the tasks of the target that was set out for"),
    },
    _S.ACKNOWLEDGING: _member(_S.ACKNOWLEDGING)
    | {_E.SENT: Rule((_S.STABLE, _S.RECONCILING), "acknowledge; reconcile again if the target moved")},
    _S.STABLE: _member(_S.STABLE),
    _S.FENCED: _OUTSIDE
    | {
        _E.LOST: Rule((_S.JOINING,), "run nothing; join again under the same id"),
        _E.CLOSE: _RULES[_E.CLOSE],
    },
    _S.STALE: _OUTSIDE
    | {
        _E.POLLED: Rule((_S.JOINING,), "run nothing; join again"),
        _E.CLOSE: _RULES[_E.CLOSE],
    },
    _S.FATAL: _OUTSIDE,
}


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

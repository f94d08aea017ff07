"""Claims about copies: how many standby copies each task has at rest, and which more there are on the way.

Kafka lists warm-up copies among the standby copies. What is beyond the number asked for is a warm-up here.
Source: KIP-441.
"""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.kinds import Kind
from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import RUNNING, TaskId
from kassay.properties.registry import Evidence, Scope, always, claim
from kassay.properties.streams.tasks import has_stateful


def _copies(step: TaskStep) -> Iterator[tuple[TaskId, list[str], int]]:
    """Each task with state, the processes of its standby copies, and how many there should be."""
    copies = step.given.standby_on
    asked = max(0, min(step.request.standby_replicas, len(step.request.clients) - 1))
    for task in sorted(step.request.stateful):
        yield task, copies.get(task, []), asked


@claim(
    "standby-count",
    kinds=Kind.STREAMS,
    scope=Scope.OUTCOME,
    applies=has_stateful,
    breakable=always,
    source="StreamsConfig num.standby.replicas; KIP-1071",
)
def standby_count(step: TaskStep) -> Iterator[Evidence]:
    """At rest each stateful task has min(standbys, processes - 1) standby copies, no fewer and no more."""
    for task, standby_on, asked in _copies(step):
        if len(standby_on) != asked:
            yield Evidence(str(task), {"standby on": tuple(standby_on), "asked": asked})


def _may_have_too_many(step: TaskStep) -> bool:
    """Whether some answer warms up a copy that has caught up, or more than may be."""
    request = step.request
    ids, asked = request.by_id, max(0, min(request.standby_replicas, len(request.clients) - 1))
    if len(request.stateful) * (len(ids) - asked) > request.warmup_replicas_max:
        return True
    return any(
        sum(_has_caught_up(step, process_id, task) for process_id in ids) > asked for task in request.stateful
    )


@claim("warm-ups", kinds=Kind.STREAMS, applies=has_stateful, breakable=_may_have_too_many, source="KIP-441")
def warm_ups(step: TaskStep) -> Iterator[Evidence]:
    """Where a probing rebalance follows, copies beyond those asked for are few enough, and still behind.

    There are at most `max.warmup.replicas` in all, and as many copies of a task as are too many have not
    caught up. Where none follows, a copy too many is no warm-up: at rest it breaks `standby-count`.
    """
    if not step.given.probing_rebalance:
        return
    more = {task: (on, len(on) - asked) for task, on, asked in _copies(step) if len(on) > asked}
    number = sum(beyond for _, beyond in more.values())
    if number > step.request.warmup_replicas_max:
        yield Evidence("warm-ups", {"number": number, "at most": step.request.warmup_replicas_max})
    for task, (on, beyond) in sorted(more.items()):
        if sum(not _has_caught_up(step, process_id, task) for process_id in on) < beyond:
            yield Evidence(str(task), {"standby on": tuple(on), "beyond those asked for": beyond})


def _has_caught_up(step: TaskStep, process_id: str, task: TaskId) -> bool:
    """Whether the process could run the task at once; one that says nothing of it could not."""
    client = step.request.by_id.get(process_id)
    lag = client.lag_of.get(task) if client is not None else None
    return lag is not None and (lag == RUNNING or lag <= step.request.acceptable_recovery_lag)

"""Claims about copies: the number of standby copies when stable, additional ones on the way, and places.

Kafka lists warm-up copies among the standby copies. Here copies beyond the requested number are warm-ups.
Places of copies are compared with the optimum for an answer's active tasks (`docs/optimum.md`).
Sources: KIP-441, KIP-1071.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import RUNNING, ClientTasks, TaskId
from kassay.properties.registry import Evidence, Scope, always, claim
from kassay.properties.streams.stickiness import before, homes
from kassay.properties.streams.tasks import copies_words, has_stateful
from kassay.writing.text import counted, only, series


def _copies(step: TaskStep) -> Iterator[tuple[TaskId, list[str], int]]:
    """Each task with state, the processes of its standby copies, and their required number."""
    copies = step.given.standby_on
    required = max(0, min(step.request.standby_replicas, len(step.request.clients) - 1))
    for task in sorted(step.request.stateful):
        yield task, copies.get(task, []), required


@claim(
    "standby-count",
    kinds=STREAMS,
    scope=Scope.OUTCOME,
    applies=has_stateful,
    breakable=always,
    source="StreamsConfig num.standby.replicas; KIP-1071",
    fix=("place exactly min(standbys, processes - 1) standby copies of each task with state"),
)
def standby_count(step: TaskStep) -> Iterator[Evidence]:
    """When stable, each stateful task has exactly min(standbys, processes - 1) standby copies."""
    for task, standby_on, required in _copies(step):
        if len(standby_on) != required:
            facts = {"standby on": tuple(standby_on), "required": required}
            yield Evidence(str(task), facts, copies_words(task, len(standby_on), required))


def _may_have_too_many(step: TaskStep) -> bool:
    """Whether some answer warms up a copy that has caught up, or more than allowed."""
    request = step.request
    ids, required = request.by_id, max(0, min(request.standby_replicas, len(request.clients) - 1))
    if len(request.stateful) * (len(ids) - required) > request.warmup_replicas_max:
        return True
    return any(
        sum(_has_caught_up(step, process_id, task) for process_id in ids) > required
        for task in request.stateful
    )


@claim(
    "warm-ups",
    kinds=STREAMS,
    applies=has_stateful,
    breakable=_may_have_too_many,
    source="KIP-441",
    fix=("count warm-ups against max.warmup.replicas, and make none of a copy that has caught up"),
)
def warm_ups(step: TaskStep) -> Iterator[Evidence]:
    """Where a probing rebalance follows, warm-ups are within max.warmup.replicas, and still behind.

    There are at most `max.warmup.replicas` in all, and as many copies of a task as exceed its number have not
    caught up. Where none follows, an excess copy is no warm-up: when stable it breaks `standby-count`.
    """
    if not step.given.probing_rebalance:
        return
    more = {task: (on, len(on) - required) for task, on, required in _copies(step) if len(on) > required}
    number = sum(beyond for _, beyond in more.values())
    if number > step.request.warmup_replicas_max:
        subject, most = counted(number, "warm-up"), step.request.warmup_replicas_max
        words = f"The answer has {subject}, but max.warmup.replicas is {most}."
        yield Evidence(subject, {"number": number, "at most": most}, words)
    for task, (on, beyond) in sorted(more.items()):
        behind = sum(not _has_caught_up(step, process_id, task) for process_id in on)
        if behind < beyond:
            words = (
                f"Task {task} has {counted(beyond, 'warm-up')}, but {only(behind)} of its copies "
                f"{'is' if behind < 2 else 'are'} still behind."
            )
            yield Evidence(str(task), {"standby on": tuple(on), "beyond those required": beyond}, words)


def _has_caught_up(step: TaskStep, process_id: str, task: TaskId) -> bool:
    """Whether the process could run the task at once; without a reported lag it could not."""
    client = step.request.by_id.get(process_id)
    lag = client.lag_of.get(task) if client is not None else None
    return lag is not None and (lag == RUNNING or lag <= step.request.acceptable_recovery_lag)


class BestStandbys(NamedTuple):
    """The most even standbys for an answer's active tasks: their balance, and their restores.

    `squares` is the sum of the squares of members' tasks, active and standby; `least` and `most` are the
    restores of the best and of the worst of those.
    """

    squares: int
    least: int
    most: int


def _squares(step: TaskStep) -> int:
    """The squares of members' tasks; without members in the answer, a process splits its tasks evenly."""
    given = step.given
    if given.members is not None:
        return sum(sum(map(len, given.members.get(who, ClientTasks()))) ** 2 for who in homes(step.request))
    total = 0
    for client in step.request.clients:
        tasks = given.processes.get(client.process_id, ClientTasks())
        each, more = divmod(len(tasks.active) + len(tasks.standby), client.capacity)
        total += more * (each + 1) ** 2 + (client.capacity - more) * each**2
    return total


def _restored(step: TaskStep) -> list[tuple[TaskId, str]]:
    """The standbys in processes without the state of their task."""
    was = before(step.request)
    return [
        (task, process)
        for task, processes in sorted(step.given.standby_on.items())
        for process in processes
        if process not in was[task].state
    ]


def _is_whole(step: TaskStep) -> bool:
    """Whether each task runs once and has its standbys, on different processes of the request."""
    request, given = step.request, step.given
    runs_on, stands_by_on = given.active_on, given.standby_on
    required = min(request.standby_replicas, len(request.clients) - 1)
    stateful = frozenset(request.stateful)
    if not given.processes.keys() <= request.by_id.keys() or runs_on.keys() != frozenset(request.tasks):
        return False
    if not stands_by_on.keys() <= stateful:
        return False
    copies = {task: [*runs_on[task], *stands_by_on.get(task, ())] for task in runs_on}
    return all(
        len(set(on)) == len(on) == 1 + (required if task in stateful else 0) for task, on in copies.items()
    )


def _is_even(step: TaskStep, best: BestStandbys) -> bool:
    """Whether all standbys exist, need not be spread, and are the most even for these active tasks."""
    return not step.request.rack_aware_tags and _is_whole(step) and _squares(step) <= best.squares


def _may_restore_more(_: TaskStep, best: BestStandbys) -> bool:
    """Whether other equally even standbys for these active tasks need more restores."""
    return best.most > best.least


@claim(
    "sticky-standbys",
    kinds=STREAMS,
    scope=Scope.OPTIMUM,
    applies=_is_even,
    breakable=_may_restore_more,
    minimum=20,
    source="KIP-441; KIP-1071",
    fix="prefer, among equally loaded members, those that hold a copy of the task already",
)
def sticky_standbys(step: TaskStep, best: BestStandbys) -> Iterator[Evidence]:
    """For the answer's active tasks, no equally even standby copies need fewer restores.

    Judged where all standbys exist and tasks of either kind are as even by member as possible for these
    active tasks, except where copies are to be spread over tags, which may cost restores. A process that
    names no members splits its tasks evenly.
    """
    restored = _restored(step)
    if len(restored) > best.least:
        where = tuple(f"{task} on {process}" for task, process in restored)
        subject = counted(len(restored), "standby copy")
        need = "needs" if len(restored) == 1 else "need"
        yield Evidence(
            subject,
            {"restores": len(restored), "least": best.least, "restored": where},
            f"{subject} {need} a restore ({series(where)}), but at best {only(best.least, 'does')}.",
        )

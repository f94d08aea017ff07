"""Claims about stable threads: the number of tasks of each.

A rule of level `member` assigns tasks to threads. One of level `process` leaves that to the process, which
splits its tasks evenly: there a process is judged by its tasks and its number of threads.
Sources: KIP-441, its balance factor; KIP-1071.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import permutations
from typing import NamedTuple

from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskId, member_id
from kassay.properties.registry import Evidence, Scope, claim
from kassay.writing.text import counted, only


class TaskShare(NamedTuple):
    """A thread, or a process with `threads`, and its tasks; copies of a task must not meet in a `process`."""

    who: str
    process: str
    threads: int
    tasks: tuple[TaskId, ...]


def _shares(step: TaskStep, part: Callable[[ClientTasks], Iterable[TaskId]]) -> list[TaskShare]:
    """A share of that part of the tasks for each thread if the answer names threads, else each process."""
    clients, given = step.request.clients, step.given
    if given.members is None:
        return [_share(c.process_id, c.process_id, c.capacity, given.processes, part) for c in clients]
    return [
        _share(member_id(c.process_id, c.start, thread), c.process_id, 1, given.members, part)
        for c in clients
        for thread in range(c.capacity)
    ]


def _share(
    who: str,
    process: str,
    threads: int,
    given: Mapping[str, ClientTasks],
    part: Callable[[ClientTasks], Iterable[TaskId]],
) -> TaskShare:
    return TaskShare(who, process, threads, tuple(part(given.get(who, ClientTasks()))))


def _uneven(shares: list[TaskShare]) -> Iterator[tuple[TaskShare, TaskShare]]:
    """Pairs: the first could pass a task to the second, which still had no more for each thread."""
    most = max((len(share.tasks) - 1) / share.threads for share in shares)
    least = min((len(share.tasks) + 1) / share.threads for share in shares)
    # Quotients of equal numbers round equally, so that most answers need no comparison of all pairs.
    for over, under in permutations(shares, 2) if most >= least else ():
        if (len(over.tasks) - 1) * under.threads >= (len(under.tasks) + 1) * over.threads:
            yield over, under


def _facts(over: TaskShare, under: TaskShare) -> dict[str, object]:
    return {
        "tasks": len(over.tasks),
        "threads": over.threads,
        "other": under.who,
        "other tasks": len(under.tasks),
        "other threads": under.threads,
    }


def _words(over: TaskShare, under: TaskShare, noun: str) -> str:
    """The sentence, without its full stop."""
    alone = over.threads == under.threads == 1
    on = ["" if alone else f" on {counted(share.threads, 'thread')}" for share in (over, under)]
    return (
        f"{over.who} has {counted(len(over.tasks), noun)}{on[0]}, "
        f"but {under.who} has {only(len(under.tasks))}{on[1]}"
    )


def _can_be_uneven(step: TaskStep, tasks: int) -> bool:
    """Whether some answer gives one thread, or process, so many tasks that another should have one."""
    threads = sorted(share.threads for share in _shares(step, lambda _: ()))
    return len(threads) > 1 and (tasks - 1) * threads[-1] >= threads[0]


def _may_lack_stateful_balance(step: TaskStep) -> bool:
    return _can_be_uneven(step, len(step.request.stateful))


def _may_lack_balance(step: TaskStep) -> bool:
    copies = len(step.request.stateful) * step.request.standby_replicas
    return _can_be_uneven(step, len(step.request.tasks) + copies)


@claim(
    "stateful-balanced",
    kinds=STREAMS,
    scope=Scope.OUTCOME,
    breakable=_may_lack_stateful_balance,
    source="KIP-441; KIP-1071",
    fix="count stateful tasks separately when choosing the next thread",
)
def stateful_balanced(step: TaskStep) -> Iterator[Evidence]:
    """When stable, no thread could take an active task with state from another and have no more of them.

    That is, threads differ by less than two. For a process with several threads that are not distinguished,
    its tasks for each of them count.
    """
    stateful = frozenset(step.request.stateful)
    for over, under in _uneven(_shares(step, lambda tasks: stateful.intersection(tasks.active))):
        yield Evidence(over.who, _facts(over, under), f"{_words(over, under, 'stateful task')}.")


@claim(
    "threads-balanced",
    kinds=STREAMS,
    scope=Scope.OUTCOME,
    breakable=_may_lack_balance,
    source="KIP-1071",
    fix="count active and standby tasks together when choosing the next thread",
)
def threads_balanced(step: TaskStep) -> Iterator[Evidence]:
    """When stable, no thread could take a task, active or standby, from another and have no more of them.

    Only tasks count of which the taking process has no copy, unless both threads are in one process.
    """
    inside = {p: {*tasks.active, *tasks.standby} for p, tasks in step.given.processes.items()}
    for over, under in _uneven(_shares(step, lambda tasks: (*tasks.active, *tasks.standby))):
        here = inside.get(under.process, set())
        free = sorted(t for t in over.tasks if over.process == under.process or t not in here)
        if free:
            words = f"{_words(over, under, 'task')} and could take {free[0]}."
            yield Evidence(over.who, {**_facts(over, under), "free to go": str(free[0])}, words)

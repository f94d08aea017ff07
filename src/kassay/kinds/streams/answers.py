"""Answers of a task assignor in words, and better alternatives."""

from __future__ import annotations

from fractions import Fraction

from kassay.kinds.answers import few, listed
from kassay.model.calls import Failure
from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import ClientTasks, TaskAssignment


def task_words(step: TaskStep) -> str:
    """The tasks of each process."""

    def tasks(process_id: str) -> str:
        active, standby = given[process_id]
        return f"{process_id} {listed(active)}" + (f" | standby {listed(standby)}" if standby else "")

    given = step.given.processes
    return few([tasks(process_id) for process_id in given])


def by_threads(step: TaskStep) -> TaskAssignment:
    """Active tasks so that each weighs as little as possible, with the fewest leaving their process.

    The k-th task of a process with c threads weighs k/c. Standby copies stay where the answer has them.
    """
    request = step.request
    threads = {client.process_id: client.capacity for client in request.clients}
    held = {client.process_id: [*client.previous_active] for client in request.clients}
    room = dict.fromkeys(threads, 0)
    for _ in request.tasks if threads else ():
        lightest = min(threads, key=lambda p: (Fraction(room[p] + 1, threads[p]), room[p] >= len(held[p]), p))
        room[lightest] += 1
    active = {process: sorted(held[process])[: room[process]] for process in threads}
    kept = {task for tasks in active.values() for task in tasks}
    free = iter(sorted(set(request.tasks) - kept))
    for process, tasks in active.items():
        tasks += [task for _, task in zip(range(room[process] - len(tasks)), free, strict=False)]
    given = {} if isinstance(step.answer, Failure) else step.answer.processes
    copies = {process: given.get(process, ClientTasks()).standby for process in threads}
    return TaskAssignment(
        {
            process: ClientTasks(
                tuple(sorted(tasks)), tuple(task for task in copies[process] if task not in tasks)
            )
            for process, tasks in active.items()
        }
    )

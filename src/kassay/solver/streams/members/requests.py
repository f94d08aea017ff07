"""Conversion of a Streams application's request to tasks for members, the optimum's input, and back."""

from __future__ import annotations

from itertools import count
from typing import Final

from kassay.model.streams.tasks import (
    CHANGELOG,
    RUNNING,
    ClientTasks,
    TaskClient,
    TaskId,
    TaskRequest,
    member_id,
    process_hash_order,
    task_hash_order,
)
from kassay.solver.streams.members.problem import MemberTaskProblem, ProcessMembers

_PROCESS: Final = "00000000-0000-4000-8000-{:012x}"
"""The id of the n-th process: a UUID, since Java sorts them as UUIDs."""


def problem_of(request: TaskRequest) -> MemberTaskProblem:
    """The problem of a request: tasks in their order, members by the ids of their threads.

    A process has the state of a task if its copy lacks less than the whole changelog, whatever its lag.
    """
    tasks, stateful = sorted(request.tasks), frozenset(request.stateful)
    clients = sorted(request.clients, key=lambda client: client.process_id)
    processes = tuple(
        ProcessMembers(
            client.process_id,
            tuple(sorted(member_id(client.process_id, client.start, n) for n in range(client.capacity))),
        )
        for client in clients
    )
    ids = {id_: m for m, id_ in enumerate(id_ for process in processes for id_ in process.members)}
    ran: dict[TaskId, int] = {}
    state: dict[TaskId, set[int]] = {task: set() for task in tasks}
    for place, client in enumerate(clients):
        for thread, held in enumerate(client.held[: client.capacity]):
            member = ids[member_id(client.process_id, client.start, thread)]
            ran.update(dict.fromkeys(held.active, member))
        for task, lag in client.lags:
            if lag < request.changelog and task in stateful:
                state[task].add(place)
    return MemberTaskProblem(
        processes,
        request.standby_replicas,
        frozenset(number for number, task in enumerate(tasks) if task not in stateful),
        tuple(ran.get(task) for task in tasks),
        tuple(frozenset(state[task]) for task in tasks),
    )


def request_of(problem: MemberTaskProblem) -> TaskRequest:
    """The problem as an assignor sees it; `problem_of` turns it into an equivalent problem.

    Processes and members get the ids that Kafka gives them, in the order of the problem's. Tasks without
    state are a subtopology of their own, after the others. A process's copies have caught up, and its members
    hold them round robin. All tasks may warm up at once, since speed does not matter here.
    """
    numbers = (count(), count())
    task_of = [TaskId(sub := int(n in problem.stateless), next(numbers[sub])) for n in range(problem.tasks)]
    stateful = [task for task in task_of if not task.subtopology]
    clients = {}
    for place, members in enumerate(problem.members_of):
        copies = [task for task, row in zip(task_of, problem.standby, strict=True) if place in row]
        held = tuple(
            ClientTasks(
                tuple(task for task, ran in zip(task_of, problem.active, strict=True) if ran == member),
                tuple(copies[turn :: len(members)]),
            )
            for turn, member in enumerate(members)
        )
        runs = tuple(sorted(task for tasks_of in held for task in tasks_of.active))
        state = {**dict.fromkeys(stateful, CHANGELOG), **dict.fromkeys(copies, 0)}
        state |= {task: RUNNING for task in runs if task in state}
        process_id = _PROCESS.format(place)
        clients[process_id] = TaskClient(
            process_id, len(members), runs, tuple(copies), tuple(state.items()), held
        )
    return TaskRequest(
        tuple(clients[process_id] for process_id in process_hash_order(clients)),
        tuple(task_hash_order(task_of)),
        tuple(task_hash_order(stateful)),
        problem.standbys,
        warmup_replicas_max=max(1, problem.tasks),
    )

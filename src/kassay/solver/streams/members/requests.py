"""A request of a Streams application as tasks for members: what the optimum is asked about."""

from __future__ import annotations

from kassay.model.streams.tasks import CHANGELOG, TaskId, TaskRequest, member_id
from kassay.solver.streams.members.problem import MemberTaskProblem, ProcessMembers


def problem_of(request: TaskRequest) -> MemberTaskProblem:
    """The problem of a request: tasks in their order, members by the ids that threads have.

    A process has the state of a task of which its copy lacks less than the whole changelog, however far
    behind it is.
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
            if lag < CHANGELOG and task in stateful:
                state[task].add(place)
    return MemberTaskProblem(
        processes,
        request.standby_replicas,
        frozenset(number for number, task in enumerate(tasks) if task not in stateful),
        tuple(ran.get(task) for task in tasks),
        tuple(frozenset(state[task]) for task in tasks),
    )

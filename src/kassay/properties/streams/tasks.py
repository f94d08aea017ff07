"""Rules for any assignment of Streams tasks, and their cost.

Each function checks one answered step and yields errors (or moved tasks), with the facts that show them.
Balance applies to stable steps: on the way there, tasks wait for copies.
Sources: KIP-441; the Javadoc of Kafka's `TaskAssignor`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskClient, TaskId, member_id
from kassay.properties.answers import Difference
from kassay.properties.registry import Evidence, Scope, always, claim
from kassay.writing.text import counted, only, series


def _has_tasks(step: TaskStep) -> bool:
    """Whether there is a task."""
    return bool(step.request.tasks)


def _has_copies(step: TaskStep) -> bool:
    """Whether standby copies are requested, for a task with state."""
    return bool(step.request.stateful) and step.request.standby_replicas > 0


def is_open(step: TaskStep) -> bool:
    """Whether two valid answers differ: in the process of a task, or in the place of a copy."""
    return _has_tasks(step) and (len(step.request.clients) > 1 or _has_copies(step))


@claim(
    "exists",
    kinds=STREAMS,
    validity=True,
    breakable=always,
    source="TaskAssignor",
    fix="name only processes and tasks of the request",
)
def known(step: TaskStep) -> Iterator[Evidence]:
    """Every process and every task in the answer is in the request."""
    tasks = frozenset(step.request.tasks)
    for process_id, given in sorted(step.given.processes.items()):
        if process_id not in step.request.by_id:
            words = f"The answer assigns tasks to process {process_id}, which is not in the request."
            yield Evidence(process_id, {"expected": "a process of the request"}, words)
        for task in sorted({*given.active, *given.standby} - tasks):
            words = f"Process {process_id} was assigned task {task}, which is not in the request."
            yield Evidence(str(task), {"process": process_id, "expected": "a task of the request"}, words)


@claim(
    "single-owner",
    kinds=STREAMS,
    validity=True,
    breakable=_has_tasks,
    source="TaskAssignor",
    fix="assign each active task to one process alone",
)
def single_owner(step: TaskStep) -> Iterator[Evidence]:
    """No active task is assigned twice; otherwise its records would be processed twice."""
    for task, runs_on in sorted(step.given.active_on.items()):
        if len(runs_on) > 1:
            on = series(dict.fromkeys(runs_on)) if len(set(runs_on)) > 1 else f"{runs_on[0]} more than once"
            yield Evidence(str(task), {"active on": tuple(runs_on)}, f"Task {task} is active on {on}.")


@claim(
    "complete",
    kinds=STREAMS,
    validity=True,
    breakable=_has_tasks,
    source="TaskAssignor",
    fix="make every task of the request active on some process",
)
def complete(step: TaskStep) -> Iterator[Evidence]:
    """Every task is active on some process; otherwise its records would wait."""
    for task in sorted(set(step.request.tasks) - step.given.owners.keys()):
        yield Evidence(str(task), {"active on": ()}, f"Task {task} is active on no process.")


def has_stateful(step: TaskStep) -> bool:
    """Whether there is a task with state."""
    return bool(step.request.stateful)


@claim(
    "standby-disjoint",
    kinds=STREAMS,
    applies=has_stateful,
    breakable=_has_copies,
    source="StreamsConfig, KIP-441",
    fix=(
        "choose standbys among the processes that do not run the task, as many as requested if "
        "there are enough"
    ),
)
def standby_disjoint(step: TaskStep) -> Iterator[Evidence]:
    """An active task and its standbys are on different processes, as many as requested where processes allow.

    Copies of a stateless task, and two on one process, are faults too. More copies than requested
    are no fault: warm-up copies are listed among them.
    """
    runs_on, stands_by_on = step.given.active_on, step.given.standby_on
    required = min(step.request.standby_replicas, max(len(step.request.clients) - 1, 0))
    stateful = frozenset(step.request.stateful)
    for task in sorted(stands_by_on.keys() | stateful):
        standbys, active = stands_by_on.get(task, []), runs_on.get(task, [])
        facts: dict[str, object] = {"active on": tuple(active), "standby on": tuple(standbys)}
        if task not in stateful:
            words = f"Task {task} has no state but a standby copy on {series(standbys)}."
            yield Evidence(str(task), {**facts, "fault": "a standby copy of a task without state"}, words)
        elif both := sorted(set(standbys) & set(active)):
            words = f"Task {task} is active on {both[0]}, which has its standby copy too."
            yield Evidence(str(task), {**facts, "fault": "active and standby on one process"}, words)
        elif len(set(standbys)) < len(standbys):
            twice = max(standbys, key=standbys.count)
            words = f"Task {task} has {counted(standbys.count(twice), 'standby copy')} on {twice}."
            yield Evidence(str(task), {**facts, "fault": "two standby copies on one process"}, words)
        elif len(standbys) < required:
            facts |= {"fault": "too few standby copies", "required": required}
            yield Evidence(str(task), facts, copies_words(task, len(standbys), required))


def copies_words(task: TaskId, number: int, required: int) -> str:
    """The sentence on a task with another number of standby copies than required."""
    return f"Task {task} has {counted(number, 'standby copy')} instead of {required}."


def active_loads(step: TaskStep) -> dict[str, int]:
    """Active tasks by process of the request."""
    given = step.given.processes
    return {c.process_id: len(given.get(c.process_id, ClientTasks()).active) for c in step.request.clients}


def pairs(
    of: Mapping[str, tuple[int, int]], are_wrong: Callable[[tuple[int, int], tuple[int, int]], bool]
) -> Iterator[tuple[str, str]]:
    """The ordered pairs of processes whose tasks and threads are wrong, which those of one process never are.

    Most answers have few different loads and are right: then no process is compared with another.
    """
    different = set(of.values())
    if any(are_wrong(one, other) for one in different for other in different):
        yield from ((one, other) for one, other in permutations(of, 2) if are_wrong(of[one], of[other]))


def _may_lack_balance(step: TaskStep) -> bool:
    """Whether one process could run all tasks, and with one of them another still have fewer a thread."""
    threads = sorted(client.capacity for client in step.request.clients)
    return len(threads) > 1 and (len(step.request.tasks) - 1) * threads[-1] >= threads[0]


@claim(
    "balanced-within-one",
    kinds=STREAMS,
    scope=Scope.OUTCOME,
    breakable=_may_lack_balance,
    source="KIP-441, its balance factor",
    fix="assign active tasks by the number of threads of each process",
)
def balanced_within_one(step: TaskStep) -> Iterator[Evidence]:
    """When stable, no process could pass an active task to another and still have as many per thread.

    With equally many threads everywhere: active tasks differ by less than two.
    """
    counts = active_loads(step)
    loads = {c.process_id: (counts[c.process_id], c.capacity) for c in step.request.clients}

    def are_uneven(over: tuple[int, int], under: tuple[int, int]) -> bool:
        return (over[0] - 1) * under[1] >= (under[0] + 1) * over[1]

    for over, under in pairs(loads, are_uneven):
        yield Evidence(
            over,
            {
                "active": loads[over][0],
                "threads": loads[over][1],
                "other": under,
                "other active": loads[under][0],
                "other threads": loads[under][1],
            },
            f"{over} has {counted(loads[over][0], 'active task')} on {counted(loads[over][1], 'thread')}, "
            f"but {under} has {only(loads[under][0])} on {counted(loads[under][1], 'thread')}.",
        )


def changed(step: TaskStep) -> Iterator[str]:
    """The processes and threads that get or lose a task: a stable application has none."""
    for client in step.request.clients:
        had = ClientTasks(tuple(sorted(client.previous_active)), tuple(sorted(client.previous_standby)))
        gets = step.given.processes.get(client.process_id, ClientTasks())
        if had != gets:
            yield client.process_id
        for who, before, after in _by_thread(client, step.given):
            if before != after:
                yield who


def _by_thread(client: TaskClient, given: TaskAssignment) -> Iterator[tuple[str, ClientTasks, ClientTasks]]:
    """Each thread's previous and new tasks, where threads are distinguished."""
    members = given.members if given.members is not None else {}
    for thread, had in enumerate(client.held if members else ()):
        who = member_id(client.process_id, client.start, thread)
        gets = members.get(who, ClientTasks())
        yield who, _in_order(had), _in_order(gets)


def _in_order(tasks: ClientTasks) -> ClientTasks:
    return ClientTasks(tuple(sorted(tasks.active)), tuple(sorted(tasks.standby)))


def difference(step: TaskStep, then: TaskAssignment) -> Iterator[Difference]:
    """The first process whose tasks differ as sets, or else the first thread."""
    for first, second in ((step.given.processes, then.processes), (step.given.members, then.members)):
        for who in sorted({*(first or ()), *(second or ())}):
            before, after = _tasks(first, who), _tasks(second, who)
            if before != after:
                words = f"{who} gets", _tasks_words(before, after), _tasks_words(after, before)
                yield Difference(who, before, after, words)
                return


def _tasks_words(tasks: tuple[list[str], list[str]], other: tuple[list[str], list[str]]) -> str:
    """Active and standby tasks in words, those first that the other answer lacks."""
    parts = [
        f"{name} {series(sorted(listed, key=lambda task: task in also))}"
        for name, listed, also in zip(("active", "standby"), tasks, other, strict=True)
        if listed
    ]
    return " with ".join(parts) or "nothing"


def _tasks(given: Mapping[str, ClientTasks] | None, who: str) -> tuple[list[str], list[str]]:
    """The tasks of a process or thread, sorted: answers are compared as sets."""
    tasks = (given or {}).get(who, ClientTasks())
    return sorted(map(str, tasks.active)), sorted(map(str, tasks.standby))

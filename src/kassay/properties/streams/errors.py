"""The errors that Kafka itself looks for in the answer of a task assignor, by Kafka's names.

Source: KIP-924, `TaskAssignor.AssignmentError`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.properties.registry import Evidence, claim
from kassay.writing.text import series


def _may_be_refused(step: TaskStep) -> bool:
    """Whether a process may lack an entry while others run all tasks, or a stateless task have a copy."""
    request = step.request
    return len(request.clients) > 1 or not request.tasks or len(request.stateful) < len(request.tasks)


@claim(
    "task-errors",
    kinds=STREAMS,
    breakable=_may_be_refused,
    source="KIP-924, AssignmentError",
    fix=(
        "assign each active task to one process, standbys only to tasks with state, and make an "
        "entry for each process"
    ),
)
def task_errors(step: TaskStep) -> Iterator[Evidence]:
    """The answer has none of the five errors for which Kafka refuses it (KIP-924)."""
    request, given = step.request, step.given
    tasks, stateless = frozenset(request.tasks), frozenset(request.tasks) - frozenset(request.stateful)
    runs_on, stands_by_on = given.active_on, given.standby_on
    for task, processes in sorted(runs_on.items()):
        if len(processes) > 1:
            yield _error(
                "ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES",
                f"task {task} is active on {series(processes)}",
                {"task": task, "on": tuple(processes)},
            )
    for task in sorted(stands_by_on.keys() & stateless):
        yield _error(
            "INVALID_STANDBY_TASK",
            f"task {task} has no state but a standby copy on {series(stands_by_on[task])}",
            {"task": task, "on": tuple(stands_by_on[task])},
        )
    for process_id in sorted(request.by_id.keys() - given.processes.keys()):
        what = f"the answer has no entry for process {process_id}"
        yield _error("MISSING_PROCESS_ID", what, {"process": process_id})
    for process_id in sorted(given.processes.keys() - request.by_id.keys()):
        what = f"process {process_id} is not in the request"
        yield _error("UNKNOWN_PROCESS_ID", what, {"process": process_id})
    for task in sorted((runs_on.keys() | stands_by_on.keys()) - tasks):
        yield _error("UNKNOWN_TASK_ID", f"task {task} is not in the request", {"task": task})


def _error(code: str, what: str, facts: Mapping[str, object]) -> Evidence:
    return Evidence(code, facts, f"{code}: {what}.")

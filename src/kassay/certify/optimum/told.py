"""An instance as a step that a board draws: what was asked and answered, and the certified optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.documents import step_to_json
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.step import Step
from kassay.model.shape.codec import PARTITIONS

if TYPE_CHECKING:
    from kassay.model.streams.tasks import TaskAssignment, TaskRequest
    from kassay.solver.streams.members.problem import MemberTaskProblem


class ToldInstance(NamedTuple):
    """A step as traces keep it, and the optimum in the form of its answer; `about` says what it is of.

    `place` is that of the answer: the step, and the round in it where a step has rounds.
    """

    step: Mapping[str, Any]
    best: Mapping[str, Any]
    about: str
    place: tuple[int, int | None]


def told_group(
    cluster: Cluster, group: Group, answer: Assignment, best: Mapping[str, Sequence[TopicPartition]]
) -> ToldInstance:
    """A consumer group or a share group that has just come together."""
    step = step_to_json(Step(cluster, group, _sorted(answer), 1))
    given = {member_id: PARTITIONS.write(sorted(tps)) for member_id, tps in best.items()}
    return ToldInstance({"change": 0, "settled": True, "rounds": [step]}, given, "", (0, 0))


def _sorted(answer: Assignment) -> Assignment:
    return Assignment({member_id: tuple(sorted(tps)) for member_id, tps in answer.items()})


def told_application(
    problem: MemberTaskProblem, request: TaskRequest, answer: TaskAssignment, best: Sequence[int]
) -> ToldInstance:
    """A Streams application that starts, its tasks at rest; `best` has each task's member at the optimum.

    Standby copies are the answer's own: the optimum is one of active tasks.
    """
    from kassay.model.streams.documents import task_step_to_json
    from kassay.model.streams.history import TaskStep

    active: dict[str, list[str]] = {client.process_id: [] for client in request.clients}
    for task, member in zip(sorted(request.tasks), best, strict=True):
        active[problem.processes[problem.process_of[member]].id].append(str(task))
    given = {process_id: {"active": tasks, "standby": []} for process_id, tasks in active.items()}
    step = task_step_to_json(TaskStep(request, answer, at_rest=True))
    about = "active tasks: standby copies are no part of this optimum"
    return ToldInstance(step, given, about, (0, None))

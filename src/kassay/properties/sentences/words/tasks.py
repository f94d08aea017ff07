"""The words for Streams applications: running and kept tasks, and moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

from kassay.model.calls import Failure
from kassay.model.streams.history import TaskRun, TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskClient, TaskId
from kassay.properties.registry import Scope
from kassay.properties.sentences.vocabulary import Things, Undefined, Vocabulary, flag, number


class TaskScene(NamedTuple):
    """A rebalance, and the whole run if the sentence needs it."""

    step: TaskStep
    run: TaskRun | None = None


def _scene(scope: Scope, things: tuple[Any, ...]) -> TaskScene:
    if scope is not Scope.REBALANCE:
        return TaskScene(things[0])
    run: TaskRun = things[0]
    if any(isinstance(step.answer, Failure) for step in run.steps):
        raise Undefined("a run that was aborted")
    return TaskScene(run.steps[-1], run)


def _others(scene: TaskScene) -> Iterator[TaskScene]:
    """All active tasks on one process, those that have them, those that have not, and round robin."""
    request, run = scene.step.request, scene.run
    clients = [client.process_id for client in request.clients]
    previous = request.previous_owners
    if run is not None and len(clients) > 1:
        yield scene._replace(run=replace(run, steps=run.steps + run.steps[-1:] * 64))
    if not clients:
        return

    def given(choose: Callable[[int, TaskId], str]) -> TaskScene:
        processes: dict[str, list[TaskId]] = {process: [] for process in clients}
        for i, task in enumerate(request.tasks):
            processes[choose(i, task)].append(task)
        everywhere = tuple(request.stateful) if request.standby_replicas else ()
        answer = TaskAssignment(
            {
                process: ClientTasks(tuple(own), tuple(task for task in everywhere if task not in own))
                for process, own in processes.items()
            }
        )
        return scene._replace(step=replace(scene.step, answer=answer))

    yield given(lambda *_: clients[0])
    yield given(lambda *_: clients[-1])
    yield given(lambda _, task: next((p for p in clients if p != previous.get(task)), clients[0]))
    yield given(lambda i, _: clients[i % len(clients)])


def _clients(scene: TaskScene) -> list[str]:
    return [client.process_id for client in scene.step.request.clients]


def _client(scene: TaskScene, process: str) -> TaskClient:
    return scene.step.request.by_id[process]


def _has(scene: TaskScene, process: str) -> ClientTasks:
    return scene.step.given.processes.get(process, ClientTasks())


def _active(scene: TaskScene, process: str) -> int:
    return len(_has(scene, process).active)


def _standby(scene: TaskScene, process: str) -> int:
    return len(_has(scene, process).standby)


def _of_subtopology(scene: TaskScene, process: str, subtopology: int) -> int:
    return sum(task.subtopology == subtopology for task in _has(scene, process).active)


def _subtopologies(scene: TaskScene) -> list[int]:
    return sorted({task.subtopology for task in scene.step.request.tasks})


def _moved(scene: TaskScene) -> int:
    owners = scene.step.given.owners
    return sum(owners.get(task) != who for task, who in scene.step.request.previous_owners.items())


def _rounds(scene: TaskScene) -> int:
    run = scene.run
    assert run is not None
    return run.settling - run.at_rest


TASK_WORDS: Final = Vocabulary(
    kinds=(STREAMS,),
    things=(
        Things("processes", "p", _clients, "process"),
        Things("subtopologies", "s", _subtopologies, "subtopology"),
    ),
    measures=(
        number("active", "processes", _active, "tasks that a process runs"),
        number("active", "processes subtopologies", _of_subtopology, "those of a subtopology"),
        number("standby", "processes", _standby, "standby and warm-up copies that it keeps"),
        number("load", "processes", lambda s, p: _active(s, p) + _standby(s, p), "both together"),
        number("threads", "processes", lambda s, p: _client(s, p).capacity, "its threads"),
        number("threads", "", lambda s: sum(c.capacity for c in s.step.request.clients), "all threads"),
        number("processes", "", lambda s: len(s.step.request.clients), "processes of the application"),
        number("subtopologies", "", lambda s: len(_subtopologies(s)), "subtopologies"),
        number("tasks", "", lambda s: len(s.step.request.tasks), "tasks to run"),
        number(
            "tasks",
            "subtopologies",
            lambda s, sub: sum(task.subtopology == sub for task in s.step.request.tasks),
            "tasks of a subtopology",
        ),
        number("stateful", "", lambda s: len(s.step.request.stateful), "tasks that keep state"),
        number("standbys", "", lambda s: s.step.request.standby_replicas, "`num.standby.replicas`"),
        number("moved", "", _moved, "tasks that left the process which ran them before"),
        number(
            "rounds", "", _rounds, "rebalances that follow the last change by themselves", Scope.REBALANCE
        ),
        flag("at_rest", lambda s: s.step.at_rest, "the application is stable"),
        flag("probing", lambda s: s.step.given.probing_rebalance, "a probing rebalance is requested"),
        flag("no_standbys", lambda s: not s.step.request.standby_replicas, "no standby copies are wanted"),
        flag("no_state", lambda s: not s.step.request.stateful, "no task keeps state"),
        flag(
            "equal_threads",
            lambda s: len({client.capacity for client in s.step.request.clients}) <= 1,
            "every process has as many threads",
        ),
    ),
    scope=Scope.STEP,
    scene=_scene,
    others=_others,
    everything="the application",
)

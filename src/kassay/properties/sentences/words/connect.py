"""The words for Connect clusters: running connectors and tasks, and revoked ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from kassay.model.calls import Failure
from kassay.model.connect.history import ConnectRun, ConnectStep
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.player import SETTLING_ROUNDS_MAX
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectorTaskId,
    ConnectRequest,
    Work,
    WorkerChange,
    connectors_in,
    tasks_in,
    work_key,
)
from kassay.properties.connect.balance import after_last_change, least_taken_back
from kassay.properties.connect.work import running_after
from kassay.properties.registry import Scope
from kassay.properties.sentences.vocabulary import Things, Undefined, Vocabulary, flag, number


class ConnectScene(NamedTuple):
    """A rebalance, and the whole run if the sentence needs it."""

    step: ConnectStep
    run: ConnectRun | None = None


def _scene(scope: Scope, things: tuple[Any, ...]) -> ConnectScene:
    if scope is not Scope.REBALANCE:
        return ConnectScene(things[0])
    run: ConnectRun = things[0]
    if any(isinstance(step.answer, Failure) for step in run.steps):
        raise Undefined("a run that was aborted")
    return ConnectScene(run.steps[-1], run)


def _others(scene: ConnectScene) -> Iterator[ConnectScene]:
    """All work on the first worker, on the last, round robin, where it does not run yet; and all delayed."""
    step, run = scene.step, scene.run
    request = step.request
    workers = [worker.worker_id for worker in request.workers]
    if not workers:
        return
    work, runners = sorted(request.configured, key=work_key), request.runners

    def elsewhere(_: int, each: Work) -> str:
        return next((w for w in workers if w not in runners.get(each, ())), workers[0])

    choices: tuple[Callable[[int, Work], str], ...] = (
        lambda *_: workers[0],
        lambda *_: workers[-1],
        lambda i, _: workers[i % len(workers)],
        elsewhere,
    )
    for choose in choices:
        answer = _all_on(request, {each: choose(i, each) for i, each in enumerate(work)})
        yield scene._replace(step=replace(step, answer=answer), run=_ending_in(run, answer))
    stopped = {w.worker_id: WorkerChange((), w.running) for w in request.workers}
    put_off = ConnectAssignment(stopped, request.max_delay_ms)
    yield scene._replace(step=replace(step, answer=put_off, at_rest=False), run=_ending_in(run, put_off))


def _ending_in(run: ConnectRun | None, answer: ConnectAssignment) -> ConnectRun | None:
    """The run, continued forever with this answer."""
    if run is None:
        return None
    return replace(run, steps=run.steps + (replace(run.steps[-1], answer=answer),) * SETTLING_ROUNDS_MAX)


def _all_on(request: ConnectRequest, chosen: Mapping[Work, str]) -> ConnectAssignment:
    """The answer after which each piece of work runs on its chosen worker, and nothing else does."""
    return ConnectAssignment(
        {
            worker.worker_id: WorkerChange(
                tuple(w for w, who in chosen.items() if who == worker.worker_id and w not in worker.running),
                tuple(w for w in worker.running if chosen.get(w) != worker.worker_id),
            )
            for worker in request.workers
        }
    )


def _workers(scene: ConnectScene) -> list[str]:
    return [worker.worker_id for worker in scene.step.request.workers]


def _connectors(scene: ConnectScene) -> list[str]:
    return [name for name, _ in scene.step.request.connectors]


def _runs(scene: ConnectScene, worker: str) -> tuple[Work, ...]:
    """The configured work that the worker runs after all have applied the answer."""
    configured = scene.step.request.configured
    return tuple(each for each in running_after(scene.step)[worker] if each in configured)


def _tasks_of(scene: ConnectScene, connector: str, worker: str) -> int:
    return sum(
        isinstance(each, ConnectorTaskId) and each.connector == connector for each in _runs(scene, worker)
    )


def _change(scene: ConnectScene, worker: str) -> WorkerChange:
    return scene.step.given.workers.get(worker, WorkerChange())


def _afterwards(scene: ConnectScene) -> list[Work]:
    """The work that runs after all have applied the answer, repeated as often as it runs."""
    return [each for own in running_after(scene.step).values() for each in own]


def _twice(scene: ConnectScene) -> int:
    running = _afterwards(scene)
    return len(running) - len(set(running))


def _taken_back(step: ConnectStep) -> int:
    return sum(map(len, step.taken_back.values()))


def _since(scene: ConnectScene) -> Sequence[ConnectStep]:
    assert scene.run is not None
    return after_last_change(scene.run)


def _rounds(scene: ConnectScene) -> int:
    assert scene.run is not None
    return scene.run.settling


CONNECT_WORDS: Final = Vocabulary(
    kinds=(CONNECT,),
    things=(
        Things("workers", "w", _workers, "worker"),
        Things("connectors", "c", _connectors, "connector"),
    ),
    measures=(
        number(
            "load", "workers", lambda s, w: len(_runs(s, w)), "connectors and tasks that a worker then runs"
        ),
        number("tasks", "workers", lambda s, w: len(tasks_in(_runs(s, w))), "tasks that it then runs"),
        number(
            "tasks", "connectors", lambda s, c: dict(s.step.request.connectors)[c], "tasks of a connector"
        ),
        number("tasks", "connectors workers", _tasks_of, "tasks of a connector that a worker then runs"),
        number(
            "connectors", "workers", lambda s, w: len(connectors_in(_runs(s, w))), "connectors it then runs"
        ),
        number(
            "starts", "workers", lambda s, w: len(_change(s, w).assigned), "work that a worker is to start"
        ),
        number("stops", "workers", lambda s, w: len(_change(s, w).revoked), "work that it is to stop"),
        number("workers", "", lambda s: len(s.step.request.workers), "workers of the cluster"),
        number("connectors", "", lambda s: len(s.step.request.connectors), "connectors configured"),
        number("tasks", "", lambda s: len(tasks_in(s.step.request.configured)), "tasks configured"),
        number(
            "idle",
            "",
            lambda s: len(s.step.request.configured - set(_afterwards(s))),
            "connectors and tasks that then run nowhere",
        ),
        number("twice", "", _twice, "work that then runs on one worker too many"),
        number(
            "strays",
            "",
            lambda s: len(set(_afterwards(s)) - s.step.request.configured),
            "work that then runs and is not configured",
        ),
        number(
            "taken_back",
            "",
            lambda s: _taken_back(s.step),
            "connectors and tasks configured that their only worker has to stop",
        ),
        number("delay_ms", "", lambda s: s.step.given.delay_ms, "ms until all must rejoin, 0: no need"),
        number(
            "rounds", "", _rounds, "rebalances that follow the last change by themselves", Scope.REBALANCE
        ),
        number(
            "taken",
            "",
            lambda s: sum(map(_taken_back, _since(s))),
            "work revoked from the last change to the stable state",
            Scope.REBALANCE,
        ),
        number(
            "best_taken",
            "",
            lambda s: least_taken_back(_since(s)[0].request),
            "the least revocation that balance needs",
            Scope.REBALANCE,
        ),
        flag("at_rest", lambda s: s.step.at_rest, "no worker has a reason to rejoin"),
        flag("no_delay", lambda s: not s.step.given.delay_ms, "the answer has no delay"),
        flag("no_lost", lambda s: not s.step.lost_since, "no work of departed workers waits"),
        flag(
            "no_conflicting_claims",
            lambda s: not (s.step.contradictory if s.run is None else s.run.contradictory),
            "as `--assume no-conflicting-claims`",
        ),
        flag(
            "reached_all",
            lambda s: s.step.reached_all,
            "every worker got the leader's answer",
        ),
    ),
    scope=Scope.STEP,
    scene=_scene,
    others=_others,
    everything="the cluster",
)
"""Loads are those after all workers have applied the answer; work no longer configured does not count."""

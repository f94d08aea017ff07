"""Claims about one rebalance: the changes for each worker, and work that runs twice, partly or not at all.

Source: KIP-415; Kafka's `ConnectAssignor`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kassay.model.connect.history import ConnectStep
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectAssignment, Work, WorkerChange, after, work_key
from kassay.properties.answers import Difference
from kassay.properties.registry import Evidence, Scope, always, claim
from kassay.writing.text import series


def is_open(step: ConnectStep) -> bool:
    """Whether two valid answers differ: there is work, and more than one worker for it."""
    return bool(step.request.configured) and len(step.request.workers) > 1


def running_after(step: ConnectStep) -> Mapping[str, tuple[Work, ...]]:
    """The work of each worker of the request after all have applied the answer."""
    given = step.given.workers
    return {w.worker_id: after(w, given.get(w.worker_id, WorkerChange())) for w in step.request.workers}


def _runners_after(step: ConnectStep) -> dict[Work, list[str]]:
    runners: dict[Work, list[str]] = {}
    for worker, work in running_after(step).items():
        for each in work:
            runners.setdefault(each, []).append(worker)
    return runners


@claim(
    "exists",
    kinds=CONNECT,
    validity=True,
    breakable=always,
    source="ConnectAssignor",
    fix="name only workers of the request, and let them start only configured work",
)
def known(step: ConnectStep) -> Iterator[Evidence]:
    """Every worker in the answer is in the request, and all work to start is configured."""
    workers = {worker.worker_id for worker in step.request.workers}
    for worker, change in sorted(step.given.workers.items()):
        if worker not in workers:
            words = f"The answer has an entry for worker {worker}, which is not in the request."
            yield Evidence(worker, {"expected": "a worker of the request"}, words)
        for each in sorted(set(change.assigned) - step.request.configured, key=work_key):
            words = f"{worker} was assigned {each}, which is not configured."
            yield Evidence(str(each), {"worker": worker, "expected": "configured work"}, words)


def _may_run_twice(step: ConnectStep) -> bool:
    """Whether something could start on two workers, or already runs on two."""
    if len(step.request.workers) < 2:
        return False
    return bool(step.request.configured) or any(len(w) > 1 for w in step.request.runners.values())


@claim(
    "single-owner",
    kinds=CONNECT,
    validity=True,
    breakable=_may_run_twice,
    source="KIP-415",
    fix=("assign each connector and each task to one worker, and count what the others still run"),
)
def single_owner(step: ConnectStep) -> Iterator[Evidence]:
    """Once all workers have applied an answer, no connector and no task runs on two workers."""
    for each, workers in sorted(_runners_after(step).items(), key=lambda item: work_key(item[0])):
        if len(workers) > 1:
            words = f"{each} runs on {series(workers)} once they have applied the answer."
            yield Evidence(str(each), {"runs on": tuple(workers)}, words)


def _has_free(step: ConnectStep) -> bool:
    """Whether something configured runs nowhere, so that an answer could leave it so."""
    return not step.request.configured <= step.request.runners.keys()


@claim(
    "complete",
    kinds=CONNECT,
    validity=True,
    scope=Scope.OUTCOME,
    breakable=_has_free,
    source="KIP-415",
    fix="assign everything that is configured and runs nowhere, once no delay runs",
)
def complete(step: ConnectStep) -> Iterator[Evidence]:
    """When stable, without a delay or a reason to rejoin, everything configured runs."""
    for each in sorted(step.request.configured - _runners_after(step).keys(), key=work_key):
        yield Evidence(str(each), {"runs on": ()}, f"{each} runs on no worker when the cluster is stable.")


def _has_strays(step: ConnectStep) -> bool:
    """Whether something runs that is not configured."""
    return bool(step.request.runners.keys() - step.request.configured)


@claim(
    "deleted-stops",
    kinds=CONNECT,
    breakable=_has_strays,
    minimum=20,
    source="KIP-415",
    fix="revoke from each worker what is no longer configured",
)
def deleted_stops(step: ConnectStep) -> Iterator[Evidence]:
    """Whatever runs and is not configured is stopped."""
    runners = _runners_after(step)
    for each in sorted(runners.keys() - step.request.configured, key=work_key):
        words = f"{each} still runs on {series(runners[each])}, although it is not configured."
        yield Evidence(str(each), {"runs on": tuple(runners[each]), "expected": "stopped"}, words)


def _may_overlap(step: ConnectStep) -> bool:
    """Whether something configured runs, and a worker that does not run it could get it."""
    configured, workers = step.request.configured, len(step.request.workers)
    return any(each in configured and len(on) < workers for each, on in step.request.runners.items())


@claim(
    "revoke-before-assign",
    kinds=CONNECT,
    breakable=_may_overlap,
    source="KIP-415",
    fix="let the worker that runs it stop first, and assign it in the next round",
)
def revoke_before_assign(step: ConnectStep) -> Iterator[Evidence]:
    """No worker starts what another still reports as running."""
    for worker, change in sorted(step.given.workers.items()):
        for each in change.assigned:
            others = tuple(w for w in step.request.runners.get(each, ()) if w != worker)
            if others:
                words = f"{each} was assigned to {worker} but still runs on {series(others)}."
                yield Evidence(str(each), {"assigned to": worker, "runs on": others}, words)


def difference(step: ConnectStep, then: ConnectAssignment) -> Iterator[Difference]:
    """The first worker that gets other changes, or another delay."""
    for worker in sorted(step.given.workers.keys() | then.workers.keys()):
        first, second = (_lists(answer, worker) for answer in (step.given, then))
        if first != second:
            yield Difference(worker, first, second, (worker, _words(first, second), _words(second, first)))
            return
    if step.given.delay_ms != then.delay_ms:
        delays = step.given.delay_ms, then.delay_ms
        yield Difference("the delay", *delays, ("The delay is", f"{delays[0]} ms", f"{delays[1]} ms"))


def _words(changes: tuple[list[str], ...], other: tuple[list[str], ...]) -> str:
    """A worker's changes in words, those first that the other answer lacks."""
    parts = [
        f"{verb} {series(sorted(work, key=lambda each: each in also))}"
        for verb, work, also in zip(("starts", "stops"), changes, other, strict=True)
        if work
    ]
    return " and ".join(parts) or "changes nothing"


def _lists(answer: ConnectAssignment, worker: str) -> tuple[list[str], ...]:
    """A worker's changes, sorted: answers are compared as sets."""
    return tuple(sorted(map(str, set(work))) for work in answer.workers.get(worker, WorkerChange()))

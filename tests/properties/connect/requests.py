"""Every small request of a Connect cluster, and every answer to it."""

from itertools import chain, combinations, product

from kassay.model.connect.history import ConnectRun, ConnectStep
from kassay.model.connect.work import ConnectAssignment, ConnectRequest, ConnectWorker, WorkerChange, after


def parts(items):
    items = tuple(items)
    return tuple(chain.from_iterable(combinations(items, size) for size in range(len(items) + 1)))


def requests(most=2):
    """One worker or two, up to so many connectors without tasks and one that is configured no longer."""
    for size in range(most + 1):
        configured = tuple("abc"[:size])
        running = parts((*configured, "old"))
        for workers in (1, 2):
            for reports in product(running, repeat=workers):
                yield ConnectRequest(
                    tuple((name, 0) for name in configured),
                    tuple(ConnectWorker("xy"[i], own) for i, own in enumerate(reports)),
                    now_ms=10,
                    max_delay_ms=5,
                )


def answers(request):
    """Whatever is configured may be started, whatever runs may be stopped, without a delay, with one, or two."""
    names = [name for name, _ in request.connectors]
    each = [
        [
            WorkerChange(assigned, revoked)
            for assigned in parts(name for name in names if name not in worker.running)
            for revoked in parts(worker.running)
        ]
        for worker in request.workers
    ]
    ids = [worker.worker_id for worker in request.workers]
    for changes in product(*each):
        for delay in (0, 5, 6):
            yield ConnectAssignment(dict(zip(ids, changes)), delay)


def steps(request, **known):
    """A step for every answer; at rest where nobody has to stop anything and no delay is told."""
    for answer in answers(request):
        rests = not answer.delay_ms and not any(change.revoked for change in answer.workers.values())
        yield ConnectStep(request, answer, at_rest=rests, **known)


def obeying(request, answer):
    """The workers of the request once they have done as they are told."""
    return tuple(
        ConnectWorker(worker.worker_id, after(worker, answer.workers[worker.worker_id]))
        for worker in request.workers
    )


def run(*own):
    return ConnectRun(own, 1)

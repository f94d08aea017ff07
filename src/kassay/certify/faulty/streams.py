"""Faulty task assignors: high availability, and then something done to the answer."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from functools import partial

from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.certify.faulty import registry
from kassay.model.kinds import Kind
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskId, TaskRequest

control = partial(registry.control, kinds=Kind.STREAMS)


class _SpoiltTasks:
    """High availability, and then something done to the answer."""

    name = "control"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The spoilt answer."""
        good = StreamsHighAvailability().assign(request)
        return TaskAssignment(self.spoil(request, good.processes), good.probing_rebalance)

    @abstractmethod
    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """What each process is given, with the fault in it."""


@control("stands-by-itself", breaks="standby-disjoint")
class StandsByItself(_SpoiltTasks):
    """Standby copies are kept where the task runs."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Every stateful task twice on its process."""
        stateful = set(request.stateful)
        return {p: ClientTasks(own, tuple(t for t in own if t in stateful)) for p, (own, _) in answer.items()}


@control("runs-twice", breaks="single-owner")
class TaskRunsTwice(_SpoiltTasks):
    """The last task runs on every process."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """The last task everywhere."""
        last = max(request.tasks)
        return {p: ClientTasks(tuple(sorted({*own, last})), copies) for p, (own, copies) in answer.items()}


@control("forgets-task", breaks="complete")
class ForgetsTask(_SpoiltTasks):
    """The last task runs nowhere."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Without the last task."""
        last = max(request.tasks)
        return {
            p: ClientTasks(tuple(t for t in own if t != last), copies) for p, (own, copies) in answer.items()
        }


@control("leaves-all-to-one", breaks="balanced-within-one")
class LeavesAllToOne(_SpoiltTasks):
    """One process runs everything."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Everything to the first."""
        return {p: ClientTasks(tuple(request.tasks) if p == min(answer) else ()) for p in answer}


@control("goes-by-listing", breaks="order-independent")
class GoesByListing(_SpoiltTasks):
    """Shares go out in the order in which processes are listed."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Shares in listing order."""
        return dict(zip(request.by_id, (answer[p] for p in sorted(answer)), strict=True))


@control("hashes-processes", breaks="deterministic")
class TasksFollowHashes(_SpoiltTasks):
    """Shares go out in the order of a hash set, another one in each process."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Shares in hash order."""
        return dict(zip(sorted(request.by_id, key=hash), (answer[p] for p in sorted(answer)), strict=True))


@control("hands-round", breaks="converges")
class HandsRound(_SpoiltTasks):
    """Each task goes on to the next process at every rebalance."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Every task one process further than before."""
        ids = sorted(answer)
        before = request.previous_owners
        runs: dict[str, list[int]] = {p: [] for p in ids}
        tasks = sorted(request.tasks)
        for number, task in enumerate(tasks):
            owner = before.get(task)
            runs[ids[(ids.index(owner) + 1 if owner in ids else number) % len(ids)]].append(number)
        return {p: ClientTasks(tuple(tasks[number] for number in own)) for p, own in runs.items()}


@control("ignores-threads", breaks="balanced-optimal")
class IgnoresThreads(_SpoiltTasks):
    """Tasks go round by process, however many threads it has."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Every n-th task for each of n processes."""
        ids, tasks = sorted(answer), sorted(request.tasks)
        return {p: ClientTasks(tuple(tasks[number :: len(ids)])) for number, p in enumerate(ids)}


@control("deals-afresh", breaks="sticky-minimal")
class TasksDealtAfresh(_SpoiltTasks):
    """Each task goes where it weighs least, whoever ran it before."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Dealt out by weight alone."""
        runs: dict[str, list[TaskId]] = {p: [] for p in sorted(answer)}
        for task in sorted(request.tasks):
            lightest = min(runs, key=lambda p: ((len(runs[p]) + 1) / request.by_id[p].capacity, p))
            runs[lightest].append(task)
        return {p: ClientTasks(tuple(own)) for p, own in runs.items()}


def _turned(answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
    """What each process is given goes to the one before it, the first one's to the last."""
    ids = sorted(answer)
    return {p: answer[other] for p, other in zip(ids, [*ids[1:], *ids[:1]], strict=True)}


@control("names-a-stranger", breaks="exists", like="streams-high-availability")
class TasksForAStranger(_SpoiltTasks):
    """There is an entry for a process that is not there."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """One entry too many."""
        return {**answer, "00000000-0000-4000-8000-ffffffffffff": ClientTasks()}


@control("chokes-on-stateless", breaks="total", like="streams-high-availability")
class ChokesOnStateless(_SpoiltTasks):
    """An application without state makes it fail."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """The answer, if some task has state."""
        min(request.stateful)
        return dict(answer)


@control("waits-for-ever", breaks="terminates", like="streams-high-availability")
class TasksNever(_SpoiltTasks):
    """It waits for a second process where there is one."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """The answer, where there are several processes."""
        while len(answer) == 1:
            time.sleep(1)
        return dict(answer)


@control("remembers", breaks="pure", like="streams-high-availability")
class RemembersTasks(_SpoiltTasks):
    """Asked the same twice, it says something else."""

    def __init__(self) -> None:
        self._last: TaskRequest | None = None

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Tasks turned where the question was the last one."""
        again, self._last = self._last == request, request
        return _turned(answer) if again else dict(answer)


@control("never-rests", breaks="stable", keeps=("standby-disjoint", "balanced-within-one", "converges"))
class TasksNeverRest(_SpoiltTasks):
    """What was asked last is known to all objects; asked it once more, they say something else."""

    last: TaskRequest | None = None

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Tasks turned where the question was the last one."""
        again, TasksNeverRest.last = TasksNeverRest.last == request, request
        return _turned(answer) if again else dict(answer)

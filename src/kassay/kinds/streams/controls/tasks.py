"""Faulty task assignors: the high availability rule with one fault."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import ClassVar

from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.kinds import controls
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskRequest

control = partial(controls.control, kinds=STREAMS)


class _SpoiltTasks:
    """The high availability rule, whose answer is then changed."""

    name = "control"
    probes: ClassVar[bool] = True

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The changed answer; it requests a probing rebalance only if it `probes`."""
        good = StreamsHighAvailability().assign(request)
        return TaskAssignment(self.spoil(request, good.processes), self.probes and good.probing_rebalance)

    @abstractmethod
    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """The tasks of each process, with the fault in them."""


@control("runs-twice", breaks="single-owner")
class TaskRunsTwice(_SpoiltTasks):
    """The last task runs on the process that has least to do as well."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """The last task twice, where it has no standby copy."""
        last = max(request.tasks)
        least = min(answer, key=lambda p: (len(answer[p].active) / request.by_id[p].capacity, p))
        own, copies = answer[least]
        if last in own or any(last in other.standby for other in answer.values()):
            return dict(answer)
        return {**answer, least: ClientTasks((*own, last), copies)}


@control("forgets-task", breaks="complete")
class ForgetsTask(_SpoiltTasks):
    """The last task without state runs nowhere."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Without that task."""
        last = max(set(request.tasks) - set(request.stateful), default=None)
        return {
            p: ClientTasks(tuple(t for t in own if t != last), copies) for p, (own, copies) in answer.items()
        }


@control("leaves-more-to-one", breaks="balanced-within-one")
class LeavesMoreToOne(_SpoiltTasks):
    """What has no state goes to the first process alone."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """All tasks without state to the first."""
        first, stateful = min(answer), set(request.stateful)
        kept = {p: tuple(t for t in own if t in stateful) for p, (own, _) in answer.items()}
        kept[first] += tuple(t for t in request.tasks if t not in stateful)
        return {p: ClientTasks(own, answer[p].standby) for p, own in kept.items()}


@control("hands-round", breaks="converges")
class HandsRound(_SpoiltTasks):
    """Each task goes on to the next process at every rebalance."""

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Every task one process further than before, where no copies are required."""
        if request.standby_replicas:
            return dict(answer)
        ids = sorted(answer)
        before = request.previous_owners
        runs: dict[str, list[int]] = {p: [] for p in ids}
        tasks = sorted(request.tasks)
        for number, task in enumerate(tasks):
            owner = before.get(task)
            runs[ids[(ids.index(owner) + 1 if owner in ids else number) % len(ids)]].append(number)
        return {p: ClientTasks(tuple(tasks[number] for number in own)) for p, own in runs.items()}


def _turned(answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
    """The answer with each process's tasks moved to the one before it, the first one's to the last."""
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
    """A second call with the same input returns another answer."""

    def __init__(self) -> None:
        self._last: TaskRequest | None = None

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Tasks rotated where the last call had the same input."""
        again, self._last = self._last == request, request
        return _turned(answer) if again else dict(answer)


@control("never-rests", breaks="stable", keeps=("standby-disjoint", "balanced-within-one", "converges"))
class TasksNeverRest(_SpoiltTasks):
    """All objects share the last input; a second call with it returns another answer."""

    last: TaskRequest | None = None

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Tasks rotated where the last call had the same input.

        With two processes or fewer, another order is often the same one, and gives the same input.
        """
        again, TasksNeverRest.last = TasksNeverRest.last == request, request
        return _turned(answer) if again and len(answer) > 2 else dict(answer)


@control("ignores-tags", breaks="standby-tags", like="streams-high-availability")
class IgnoresTags(_SpoiltTasks):
    """It goes by load alone where copies are to be spread over tags."""

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The answer for the same processes without tags."""
        return StreamsHighAvailability().assign(replace(request, rack_aware_tags=()))


@control(
    "warms-up-everywhere",
    breaks="warm-ups",
    like="streams-high-availability",
)
class WarmsUpEverywhere(_SpoiltTasks):
    """While one copy is warmed up, copies of all tasks with state are, wherever there is none."""

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """Copies wherever the task does not run, as long as a probing rebalance follows."""
        good = StreamsHighAvailability().assign(request)
        return (
            replace(good, processes=self.spoil(request, good.processes)) if good.probing_rebalance else good
        )

    def spoil(self, request: TaskRequest, answer: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """A copy of each task with state on each process that does not run it."""
        stateful = frozenset(request.stateful)
        return {
            p: ClientTasks(own, tuple(sorted(stateful.difference(own)))) for p, (own, _) in answer.items()
        }

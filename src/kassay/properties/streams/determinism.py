"""Claims about assignors of Streams tasks that take several answers: asked again, and left alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kassay.model.failure import FailureKind
from kassay.model.groups.step import Failure, Look
from kassay.model.kinds import Kind
from kassay.model.streams.history import TaskProbe, TaskRun, TaskStep
from kassay.model.streams.tasks import ClientTasks, TaskAssignment
from kassay.properties.registry import Evidence, Scope, claim
from kassay.properties.streams.tasks import changed

_SPENT = (FailureKind.TIMEOUT, FailureKind.MEMORY)


def _failures(step: TaskStep) -> Iterator[tuple[str, Failure]]:
    """Every call of this step that gave no answer, and what call it was."""
    if isinstance(step.answer, Failure):
        yield "assign", step.answer
    for probe in step.probes:
        if isinstance(probe.answer, Failure):
            yield f"assign, asked {probe.look.value}", probe.answer


@claim("total", kinds=Kind.STREAMS, scope=Scope.STEP, validity=True, source="TaskAssignor")
def total(step: TaskStep) -> Iterator[Evidence]:
    """A well-formed input never raises."""
    for call, failure in _failures(step):
        if failure.kind not in _SPENT:
            yield Evidence(call, {"no answer": failure.message})


@claim("terminates", kinds=Kind.STREAMS, scope=Scope.STEP, validity=True, source="max.poll.interval.ms")
def terminates(step: TaskStep) -> Iterator[Evidence]:
    """It answers within the call limit."""
    for call, failure in _failures(step):
        if failure.kind in _SPENT:
            yield Evidence(call, {"no answer": failure.message})


def _tasks(answer: TaskAssignment, process_id: str) -> tuple[list[str], list[str]]:
    """A process's tasks in an order of their own: answers are compared as sets."""
    given = answer.processes.get(process_id, ClientTasks())
    return sorted(map(str, given.active)), sorted(map(str, given.standby))


def difference(first: TaskAssignment, then: TaskAssignment | Failure) -> Evidence | None:
    """Where the second answer differs from the first, or None where it does not."""
    if isinstance(then, Failure):
        return Evidence("asked again", {"no answer": then.message})
    for process_id in sorted(first.processes.keys() | then.processes.keys()):
        before, after = _tasks(first, process_id), _tasks(then, process_id)
        if before != after:
            return Evidence(process_id, {"first": before, "then": after})
    return None


def _differing(step: TaskStep, *looks: Look) -> Iterator[Evidence]:
    probe: TaskProbe
    for probe in step.probes:
        if probe.look in looks and (found := difference(step.given, probe.answer)) is not None:
            yield Evidence(found.subject, {"asked": probe.look.value, **found.facts})


@claim(
    "pure",
    kinds=Kind.STREAMS,
    scope=Scope.STEP,
    validity=True,
    looks=(Look.AGAIN, Look.OTHER),
    source="TaskAssignor",
)
def pure(step: TaskStep) -> Iterator[Evidence]:
    """The same input gets the same answer from this and any other object."""
    yield from _differing(step, Look.AGAIN, Look.OTHER)


@claim(
    "deterministic",
    kinds=Kind.STREAMS,
    scope=Scope.STEP,
    looks=(Look.AGAIN, Look.OTHER, Look.PROCESS),
    source="KAFKA-12898: answers that follow a hash order",
)
def deterministic(step: TaskStep) -> Iterator[Evidence]:
    """The answer depends on the input alone: not on the process, the hash seed, the time or earlier calls."""
    yield from _differing(step, Look.AGAIN, Look.OTHER, Look.PROCESS)


@claim(
    "order-independent",
    kinds=Kind.STREAMS,
    scope=Scope.STEP,
    looks=(Look.PERMUTED,),
    source="KAFKA-12898: the leader's maps have no order",
)
def order_independent(step: TaskStep) -> Iterator[Evidence]:
    """Permuting processes and tasks does not change the answer."""
    yield from _differing(step, Look.PERMUTED)


def _asks(run: TaskRun) -> bool:
    return run.answered


@claim("converges", kinds=Kind.STREAMS, scope=Scope.REBALANCE, applies=_asks, argument="", source="KIP-441")
def converges(run: TaskRun, rounds: str) -> Iterator[Evidence]:
    """After a change and nothing else, with copies that catch up, the application comes to rest.

    `converges:k`: within at most k rounds until one in which nobody gives up or gains anything.
    """
    if not run.at_rest:
        yield Evidence("the application", {"not at rest after rounds": run.settling})
    elif rounds and run.settling > int(rounds):
        yield Evidence("the application", {"rounds": run.settling, "promised": rounds})


def _rested(step: TaskStep) -> bool:
    """Whether everybody kept exactly what they had and no further rebalance was asked for."""
    answered = not isinstance(step.answer, Failure)
    return answered and not step.given.probing_rebalance and next(changed(step), None) is None


def _was_left_alone(run: TaskRun) -> bool:
    return run.answered and any(_resting_pairs(run))


def _resting_pairs(run: TaskRun) -> Iterator[tuple[TaskStep, TaskStep]]:
    """Steps at rest with the one that followed, nothing having happened between."""
    for (first, then), quiet in zip(pairwise(run.steps), run.quiet[1:], strict=True):
        if quiet and _rested(first):
            yield first, then


@claim(
    "stable",
    kinds=Kind.STREAMS,
    scope=Scope.REBALANCE,
    applies=_was_left_alone,
    minimum=20,
    source="KIP-441",
)
def stable(run: TaskRun) -> Iterator[Evidence]:
    """A settled, unchanged application gets the same answer again."""
    for first, then in _resting_pairs(run):
        if (found := difference(first.given, then.answer)) is not None:
            yield found

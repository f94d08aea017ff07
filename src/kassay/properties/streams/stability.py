"""Claims about a whole run of an application: that it becomes stable, and stays so."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kassay.model.calls import Failure
from kassay.model.streams.history import SETTLING_ROUNDS_MAX, TaskRun, TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.properties.registry import Evidence, NumberRange, Scope, always, claim, number
from kassay.properties.streams.tasks import changed, difference, is_open
from kassay.writing.text import counted


def _is_answered(run: TaskRun, *_: str) -> bool:
    """Whether every rebalance got an answer."""
    return run.answered


@claim(
    "converges",
    kinds=STREAMS,
    scope=Scope.REBALANCE,
    applies=_is_answered,
    breakable=always,
    parameter=number(NumberRange(1, SETTLING_ROUNDS_MAX, whole=True), example="2"),
    source="KIP-441",
    fix=(
        "request a probing rebalance only while copies are behind, and keep the answer once they "
        "have caught up"
    ),
)
def converges(run: TaskRun, rounds: str) -> Iterator[Evidence]:
    """After a change and nothing else, with copies that catch up, the application becomes stable.

    `converges:k`: within at most k rounds until one in which no process gives up or gains anything.
    """
    if not run.at_rest:
        words = f"The application is not stable after {counted(run.settling, 'round')}."
        yield Evidence("the application", {"not stable after rounds": run.settling}, words)
    elif rounds and run.settling > int(rounds):
        taken = counted(run.settling, "round")
        words = f"The application became stable after {taken}; at most {rounds} are allowed."
        yield Evidence("the application", {"rounds": run.settling, "allowed": rounds}, words)


def _changed_nothing(step: TaskStep) -> bool:
    """Whether every process kept exactly its tasks and no further rebalance was requested."""
    answered = not isinstance(step.answer, Failure)
    return answered and not step.given.probing_rebalance and next(changed(step), None) is None


def _is_repeated(run: TaskRun) -> bool:
    return run.answered and any(_stable_pairs(run))


def _stable_pairs(run: TaskRun) -> Iterator[tuple[TaskStep, TaskStep]]:
    """Stable steps with the next one, without an event between."""
    for (first, then), quiet in zip(pairwise(run.steps), run.quiet[1:], strict=True):
        if quiet and _changed_nothing(first):
            yield first, then


def _had_choice(run: TaskRun) -> bool:
    """Whether the stable application could get another answer."""
    return any(is_open(then) for _, then in _stable_pairs(run))


@claim(
    "stable",
    kinds=STREAMS,
    scope=Scope.REBALANCE,
    applies=_is_repeated,
    breakable=_had_choice,
    minimum=20,
    source="KIP-441",
    fix="start from what the processes have, and change nothing that is balanced",
)
def stable(run: TaskRun) -> Iterator[Evidence]:
    """A settled, unchanged application gets the same answer again."""
    for first, then in _stable_pairs(run):
        yield from _differing(first, then)


def _differing(first: TaskStep, then: TaskStep) -> Iterator[Evidence]:
    """Where the answers of two rounds differ, between which nothing changed."""
    for each in difference(first, then.given):
        words = each.between("in one round", "in the next, although nothing changed")
        yield Evidence(each.subject, {"first": each.first, "then": each.then}, words)


def _second_runs(run: TaskRun) -> Iterator[tuple[TaskStep, TaskStep]]:
    """Answers that request no other rebalance, with the next one, without an event between."""
    for (first, then), quiet in zip(pairwise(run.steps), run.quiet[1:], strict=True):
        if quiet and not isinstance(first.answer, Failure) and not first.given.probing_rebalance:
            yield first, then


def _was_run_again(run: TaskRun) -> bool:
    return run.answered and any(_second_runs(run))


def _could_differ(run: TaskRun) -> bool:
    """Whether a second run could get another answer."""
    return any(is_open(then) for _, then in _second_runs(run))


@claim(
    "fixed-point",
    kinds=STREAMS,
    scope=Scope.REBALANCE,
    applies=_was_run_again,
    breakable=_could_differ,
    minimum=20,
    source="KIP-1071: an assignment is computed when the group changes, and stays until then",
    fix=("choose by what the processes have, so that a second call returns the same answer"),
)
def fixed_point(run: TaskRun) -> Iterator[Evidence]:
    """With nothing changed and all copies caught up, a second call returns the same answer.

    Stronger than `stable`, which applies only where every process got exactly what it had.
    """
    for first, then in _second_runs(run):
        yield from _differing(first, then)

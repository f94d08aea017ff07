"""The worst that a rule does at a size: local search over cases, begun at the worst of every small one.

What is found is a lower bound on the worst; a proven upper bound stands next to it where there is one.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final, NamedTuple

from kassay.certify.runs.blocks import Bench, Job, open_bench
from kassay.certify.runs.certificate import Counterexample
from kassay.certify.runs.counterexamples.smallest import counterexample
from kassay.certify.runs.options import RunOptions
from kassay.certify.runs.shrink import broken
from kassay.certify.targets.resolve import Target
from kassay.kinds.registry import driver_for
from kassay.kinds.search import WorstSearch
from kassay.model.errors import InputError
from kassay.properties.promises import promise

SCHEMA: Final = "kassay/worst/1"
STEPS: Final = 400
"""Steps of one climb; it ends sooner where none of the last quarter made it worse."""


class Badness(StrEnum):
    """What is made as bad as can be."""

    SPREAD = "spread"
    LEADERS = "leaders"
    MOVES = "moves"
    ROUNDS = "rounds"
    GAP = "gap"


class WorstCase(NamedTuple):
    """The worst value at a size, how many cases were looked at, and a proven upper bound.

    `meaning` says what the value is. `example` breaks the claim that it is always less; None where nothing
    worse than 0 was seen.
    """

    target: Target
    badness: Badness
    meaning: str
    size: tuple[int, int]
    seed: int
    value: int
    example: Counterexample | None
    looked_at: int
    bound: int | None


def worst_case(
    target: Target,
    badness: Badness,
    size: tuple[int, int],
    run: RunOptions,
    steps: int = STEPS,
    report: Callable[[int], None] = lambda _: None,
) -> WorstCase:
    """The worst that the search finds for so many members and partitions; the same for a seed and `steps`.

    Raises `InputError` for a kind, or a measure of it, that is not searched.
    """
    search = _search_of(target, badness)
    claim, meaning = search.measures[badness]
    job = Job(target, replace(run, claims=(claim.format(1),), controls=False))
    with open_bench(job) as bench:
        driver, looked_at = bench.driver, 0

        def value(case: Any) -> int:
            nonlocal looked_at
            looked_at += 1
            *_, played = driver.play(case, bench.subject)
            return search.value(badness, played, lambda outcome: driver.best(outcome, job.promises[0]))

        climbs = []
        for number, seed in enumerate(search.seeds(value, size)):
            rng = random.Random(f"{run.seed} {badness} {size} {number}")
            climbs.append(_climb(value, search.changed, seed, rng, steps))
            report(looked_at)
        most, worst = max(climbs, key=lambda climb: climb[0])
        example = _example(bench, claim.format(most), worst) if most > 0 else None
    bound = search.bound(badness, size, target.spec)
    return WorstCase(target, badness, meaning, size, run.seed, max(most, 0), example, looked_at, bound)


def _search_of(target: Target, badness: Badness) -> WorstSearch:
    """What searches the target's kind by that measure; raises `InputError` where nothing does."""
    search = driver_for(target.kind).search()
    if search is None:
        raise InputError(
            f"{target.spec}: is of kind {target.kind}, expected any other: where a key goes is up to the key"
        )
    if badness not in search.measures:
        raise InputError(search.expected(badness, target.spec, target.kind))
    return search


def _example(bench: Bench, claim: str, case: Any) -> Counterexample:
    """The case as a counterexample to the claim that it is always less bad."""
    promised = promise(claim, bench.job.target.kind)
    subject = replace(bench.subject, promises=(promised,))
    violations = broken(bench.driver, case, subject, promised)
    return counterexample(bench, promised, case, violations, subject=subject, contradictory=False, index=None)


def _climb(
    value_of: Callable[[Any], int],
    changed: Callable[[Any, random.Random], Any],
    case: Any,
    rng: random.Random,
    steps: int,
) -> tuple[int, Any]:
    """The worst on a walk that takes every change that is not better for the group."""
    value = value_of(case)
    stale = 0
    for _ in range(steps):
        other = changed(case, rng)
        worse = value_of(other)
        stale = 0 if worse > value else stale + 1
        if worse >= value:
            value, case = worse, other
        if stale > steps // 4:
            break
    return value, case


def worst_document(worst: WorstCase) -> dict[str, Any]:
    """The worst case as the document `kassay/worst/1`."""
    return {
        "schema": SCHEMA,
        "target": worst.target.spec,
        "worst": worst.badness.value,
        "size": "{}x{}".format(*worst.size),
        "seed": worst.seed,
        "value": worst.value,
        "bound": worst.bound,
        "looked_at": worst.looked_at,
        "example": None if worst.example is None else worst.example.to_json(),
    }

"""The worst case of a rule at a size: local search that starts from the worst of all small cases.

The result is a lower bound on the worst case; a proven upper bound accompanies it if there is one.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final, NamedTuple

from kassay.engines.runs.blocks import Bench, Job, open_bench
from kassay.engines.runs.certificate import Counterexample
from kassay.engines.runs.counterexamples import ShrunkCase, counterexample
from kassay.engines.runs.options import RunOptions
from kassay.engines.runs.shrink import broken_play
from kassay.engines.targets.resolve import Target
from kassay.kinds.registry import driver_for
from kassay.kinds.search import WorstSearch
from kassay.model.errors import InputError
from kassay.properties.claims import parse_claim

SCHEMA: Final = "kassay/worst/1"
STEPS: Final = 400
"""Steps of one climb; it stops earlier if the last quarter found nothing worse."""


class Badness(StrEnum):
    """The measure that the search maximises."""

    SPREAD = "spread"
    LEADERS = "leaders"
    MOVES = "moves"
    ROUNDS = "rounds"
    GAP = "gap"


class WorstCase(NamedTuple):
    """The worst value found at a size, how many cases were evaluated, and a proven upper bound.

    `meaning` explains the value. `example` violates the claim that the value is always less; None if no value
    above 0 was found.
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
    """The worst case found for this number of members and partitions; deterministic in the seed and `steps`.

    Raises `InputError` for a kind or a measure without a search.
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
            return search.value(badness, played, lambda outcome: driver.best(outcome, job.claims[0]))

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
    """The search for the target's kind and this measure; raises `InputError` if there is none."""
    search = driver_for(target.kind).search()
    if search is None:
        raise InputError(
            f"{target.spec}: is of kind {target.kind}, expected any other: where a key goes is up to the key"
        )
    if badness not in search.measures:
        raise InputError(search.expected(badness, target.spec, target.kind))
    return search


def _example(bench: Bench, claim: str, case: Any) -> Counterexample:
    """The case as a counterexample to the claim that the value is always less."""
    statement = parse_claim(claim, bench.job.target.kind)
    subject = replace(bench.subject, claims=(statement,))
    smallest = ShrunkCase(case, subject, broken_play(bench.driver, case, subject, statement))
    return counterexample(bench, statement, smallest, contradictory=False, index=None)


def _climb(
    value_of: Callable[[Any], int],
    changed: Callable[[Any, random.Random], Any],
    case: Any,
    rng: random.Random,
    steps: int,
) -> tuple[int, Any]:
    """The worst case on a walk that accepts every change that is no improvement for the group."""
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

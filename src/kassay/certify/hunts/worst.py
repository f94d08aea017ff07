"""The worst that a rule does at a size: local search over groups, begun at the worst of every small group.

A state is a group with a past: sizes of topics, who reads what, who owned what. A step changes one of these.
What is found is a lower bound on the worst; a proven upper bound stands beside it where there is one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeVar

from kassay.certify.hunts.cells import cases
from kassay.certify.hunts.searches.registry import SEARCHES
from kassay.certify.runs.blocks import Bench, Job, open_bench
from kassay.certify.runs.certificate import Counterexample
from kassay.certify.runs.counterexamples.smallest import counterexample
from kassay.certify.runs.options import RunOptions
from kassay.certify.runs.shrink import broken
from kassay.certify.targets.resolve import Target
from kassay.kinds.groups.shapes import (
    GroupShape,
    beside,
    chain,
    changed,
    one_topic,
    shape_of,
    stairs,
    widened,
)
from kassay.kinds.protocol import ScopeCell
from kassay.kinds.search import least_squares
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CONSUMER_GROUPS
from kassay.model.groups.metrics import moved
from kassay.model.groups.step import Step
from kassay.properties.groups.balance import Best
from kassay.properties.registry import Scope, promise
from kassay.properties.sentences.claims import vocabulary_of
from kassay.properties.sentences.vocabulary import Undefined
from kassay.properties.sentences.words.groups import rounds_of

S = TypeVar("S")
SCHEMA: Final = "kassay/worst/1"


class Badness(StrEnum):
    """What is made as bad as can be."""

    SPREAD = "spread"
    LEADERS = "leaders"
    MOVES = "moves"
    ROUNDS = "rounds"
    GAP = "gap"


_SENTENCES: Final = {
    Badness.SPREAD: "max(load) - min(load) - (best_max - best_min)",
    Badness.MOVES: "(moved - best_moved) * max(0, 1 - gap)",
    Badness.ROUNDS: "rounds",
    Badness.GAP: "gap",
}
MEANING: Final = {
    Badness.SPREAD: "largest less smallest load, less that of the optimum",
    Badness.MOVES: "moves beyond the fewest, where the loads are the best",
    Badness.ROUNDS: "rounds until nothing changes",
    Badness.GAP: "sum of squared loads, less the least possible",
}
SEED_CELL: Final = (3, 3)
SEEDS: Final = 4
STEPS: Final = 400
"""Steps of one climb; it ends sooner where none of the last quarter made it worse."""


class WorstCase(NamedTuple):
    """The worst value at a size, how many groups were looked at, and a proven upper bound.

    `example` breaks the claim that it is always less; None where nothing worse than 0 was seen.
    """

    target: Target
    badness: Badness
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
    if target.kind in SEARCHES:
        return _worst_of_kind(target, badness, size, run, steps, report)
    if target.kind not in CONSUMER_GROUPS:
        raise InputError(
            f"{target.spec}: is of kind {target.kind}, expected any other: where a key goes is up to the key"
        )
    if badness not in _SENTENCES:
        raise InputError(f"--worst {badness}: {target.spec} has no leaders, expected {', '.join(_SENTENCES)}")
    job = Job(target, replace(run, claims=(f"{_SENTENCES[badness]} <= 0",), controls=False))
    with open_bench(job) as bench:
        judge = _Judge(bench, badness)
        climbs = []
        for number, seed in enumerate(_seeds(judge, size)):
            rng = random.Random(f"{run.seed} {badness} {size} {number}")
            climbs.append(_climb(judge.value, changed, seed, rng, steps))
            report(judge.looked_at)
        value, shape = max(climbs, key=lambda climb: climb[0])
        example = _example(bench, f"{_SENTENCES[badness]} < {value}", shape.history()) if value > 0 else None
    bound = bound_of(target, badness, size)
    return WorstCase(target, badness, size, run.seed, max(value, 0), example, judge.looked_at, bound)


def _worst_of_kind(
    target: Target,
    badness: Badness,
    size: tuple[int, int],
    run: RunOptions,
    steps: int,
    report: Callable[[int], None],
) -> WorstCase:
    """The same for all other kinds."""
    search = SEARCHES[target.kind]
    if badness not in search.measures:
        able = ", ".join(search.measures)
        raise InputError(f"--worst {badness}: means nothing of a {target.kind}, expected {able}")
    claim = search.measures[badness].claim
    job = Job(target, replace(run, claims=(claim.format(1),), controls=False))
    with open_bench(job) as bench:
        driver, looked_at = bench.driver, 0

        def value(case: Any) -> int:
            nonlocal looked_at
            looked_at += 1
            *_, played = driver.play(case, bench.subject)
            return search.value(badness, played, lambda outcome: driver.best(outcome, job.promises[0]))

        small = (min(size[0], SEED_CELL[0]), min(size[1], SEED_CELL[1]))
        ranked = sorted(search.small(small), key=value, reverse=True)
        climbs = []
        for number, case in enumerate(ranked[:SEEDS]):
            rng = random.Random(f"{run.seed} {badness} {size} {number}")
            climbs.append(_climb(value, search.changed, search.widened(case, size), rng, steps))
            report(looked_at)
        most, worst = max(climbs, key=lambda climb: climb[0])
        example = _example(bench, claim.format(most), worst) if most > 0 else None
    bound = search.bound(badness, size)
    return WorstCase(target, badness, size, run.seed, max(most, 0), example, looked_at, bound)


def meaning_of(worst: WorstCase) -> str:
    """What the value is, of the target's kind."""
    search = SEARCHES.get(worst.target.kind)
    return MEANING[worst.badness] if search is None else search.measures[worst.badness].meaning


def _example(bench: Bench, claim: str, case: Any) -> Counterexample:
    """The case as a counterexample to the claim that it is always less bad."""
    promised = promise(claim, bench.job.target.kind)
    subject = replace(bench.subject, promises=(promised,))
    violations = broken(bench.driver, case, subject, promised)
    return counterexample(bench, promised, case, violations, subject=subject, contradictory=False, index=None)


class _Judge:
    """What a target does to a group, as one number."""

    def __init__(self, bench: Bench, badness: Badness) -> None:
        kind = bench.job.target.kind
        self._bench = bench
        self._badness = badness
        self.kind = kind
        self._vocabulary = vocabulary_of(kind)
        self.looked_at = 0

    def value(self, shape: GroupShape) -> int:
        """How bad it is; -1 where it cannot be said."""
        self.looked_at += 1
        driver, subject = self._bench.driver, self._bench.subject
        (played,) = driver.play(shape.history(), subject)
        try:
            if self._badness is Badness.ROUNDS:
                return rounds_of(self._vocabulary.scene(Scope.REBALANCE, (played,)))
            outcome: Step = played.outcomes[-1]
            best: Best = driver.best(outcome, self._bench.job.promises[0])
        except (Undefined, IndexError):
            return -1
        loads = outcome.loads.values()
        gap = sum(load**2 for load in loads) - sum(load**2 for load in best.loads)
        match self._badness:
            case Badness.GAP:
                return gap
            case Badness.MOVES:
                return len(moved(outcome.given, outcome.previous)) - best.moved if gap == 0 else 0
        return max(loads) - min(loads) - (max(best.loads) - min(best.loads))


def _seeds(judge: _Judge, size: tuple[int, int]) -> Iterator[GroupShape]:
    """The worst of every small group, widened to the size; a chain, one topic, stairs, the worst alone."""
    members, partitions = size
    small = ScopeCell(min(members, SEED_CELL[0]), min(partitions, SEED_CELL[1]), pasts=False)
    every = map(shape_of, cases(judge.kind, small))
    ranked = sorted(
        ((-judge.value(shape), i, shape) for i, shape in enumerate(every)), key=lambda each: each[:2]
    )
    for _, _, shape in ranked[:SEEDS]:
        yield widened(shape, size)
    yield from (chain(size), one_topic(size), stairs(size), beside(ranked[0][2], size))


def _climb(
    value_of: Callable[[S], int],
    changed_: Callable[[S, random.Random], S],
    case: S,
    rng: random.Random,
    steps: int,
) -> tuple[int, S]:
    """The worst on a walk that takes every change that is not better for the group."""
    value = value_of(case)
    stale = 0
    for _ in range(steps):
        other = changed_(case, rng)
        worse = value_of(other)
        stale = 0 if worse > value else stale + 1
        if worse >= value:
            value, case = worse, other
        if stale > steps // 4:
            break
    return value, case


def bound_of(target: Target, badness: Badness, size: tuple[int, int]) -> int | None:
    """A proven upper bound on how bad it gets at a size, whatever the group; None where there is none.

    Loads of n partitions in all are at most n apart, their squares n squared, and n can move; the least
    squares are those of even loads. What the optimum's own rules answer is certified.
    """
    members, partitions = size
    if target.spec.startswith("optimal-") and badness is not Badness.ROUNDS:
        return 0
    if badness is Badness.SPREAD:
        return partitions if members > 1 else 0
    if badness is Badness.GAP:
        return partitions**2 - least_squares(partitions, members)
    if badness is Badness.MOVES:
        return partitions
    return None


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

"""The first counterexamples of a run by time: shrunk as soon as a claim is violated; the search goes on.

A later case may be smaller or lead to a smaller counterexample: then that one is reported in the end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from kassay.engines.runs.blocks import Bench
from kassay.engines.runs.budgets import SHRINK_SHARE
from kassay.engines.runs.certificate import Counterexample
from kassay.engines.runs.counterexamples import smallest_counterexample
from kassay.engines.runs.verdicts import Candidate, Tally
from kassay.properties.registry import Claim, Scope


class EarlyExample(NamedTuple):
    """A counterexample, and the number of the case from which it was shrunk."""

    number: int
    example: Counterexample


class EarlyExamples:
    """The first counterexamples of a run that began at `started`, a time of `time.monotonic`.

    Of each claim one, and one more on ordinary input if the first was on contradictory input.
    """

    def __init__(self, bench: Bench, started: float) -> None:
        self._bench, self._started = bench, started
        self._left = SHRINK_SHARE * bench.job.options.budget.limit_s
        self._first: dict[str, EarlyExample] = {}

    def shrink_new(self, tally: Tally) -> Iterator[tuple[Claim, Counterexample]]:
        """The claims that are newly violated, each with its shrunk counterexample.

        Nothing in a run by number, which does the same whatever the time; and nothing once the time is over.
        """
        options = self._bench.job.options
        if not options.shrink or options.budget.histories is not None:
            return
        for claim in self._bench.job.claims:
            worst = tally.of(claim).worst
            if worst is None or claim.kind.scope is Scope.TIMING or self._left <= 0:
                continue
            first = self._first.get(claim.id)
            if first is not None and (worst.contradictory or not first.example.trace.contradictory):
                continue
            began = time.monotonic()
            example = self._shrunk(claim, worst, self._left)
            self._left -= time.monotonic() - began
            self._first[claim.id] = EarlyExample(worst.index, example)
            yield claim, example

    def has(self, claim: Claim, example: Counterexample) -> bool:
        """Whether this is the claim's counterexample that was reported already."""
        early = self._first.get(claim.id)
        return early is not None and early.example is example

    def smallest(self, claim: Claim, worst: Candidate) -> Counterexample:
        """The smaller one of the claim's first counterexample and that from its smallest case."""
        early = self._first.get(claim.id)
        if early is not None and early.number == worst.index:
            return early.example
        last = self._shrunk(claim, worst)
        if early is None or self._rank(last) < self._rank(early.example):
            return last
        return early.example

    def _rank(self, example: Counterexample) -> tuple[bool, tuple[int, ...]]:
        """Ordinary before contradictory, small before large."""
        driver = self._bench.driver
        return example.trace.contradictory, driver.size(driver.form.read(example.trace.case, "case"))

    def _shrunk(self, claim: Claim, worst: Candidate, seconds: float | None = None) -> Counterexample:
        case = self._bench.driver.form.read(worst.case, "case")
        return smallest_counterexample(
            self._bench,
            claim,
            case,
            self._started,
            worst.contradictory,
            worst.index,
            worst.answers,
            seconds=seconds,
        )

"""Checks each counterexample against the other claims, which it may violate as well.

While they shrink, cases become smaller and plainer than those that a run plays, and reach inputs that no
history reached. A claim that another claim's counterexample violates does not hold, however many checks it
passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from kassay.certify.runs.blocks import Bench
from kassay.certify.runs.certificate import ClaimResult
from kassay.certify.runs.counterexamples.smallest import smallest_counterexample
from kassay.kinds.recorded import Recorded, recorded
from kassay.model.verdict import Verdict
from kassay.properties.registry import Promise
from kassay.writing.text import counted


class BrokenByAnother(NamedTuple):
    """A claim that a case violates; `by` is the claim for which the case was shrunk. Both are names."""

    claim: str
    contradictory: bool
    size: tuple[int, ...]
    by: str
    case: Any
    answers: Recorded = ()

    @property
    def rank(self) -> tuple[bool, tuple[int, ...]]:
        """Ordinary before contradictory, small before large."""
        return self.contradictory, self.size


def broken_by_others(
    bench: Bench, results: tuple[ClaimResult, ...], histories: int, started: float
) -> tuple[ClaimResult, ...]:
    """The results; a claim that another claim's counterexample violates becomes violated.

    The run played `histories`; it began at `started`, in seconds of `time.monotonic`.
    """
    promises = {promised.id: promised for promised in bench.job.promises}
    by_claim = {result.id: result for result in results}
    fresh: tuple[ClaimResult, ...] = results
    while fresh:
        unbroken = {name for name, result in by_claim.items() if result.verdict is not Verdict.VIOLATED}
        least = least_of(_put_to_all(bench, fresh)) if unbroken else {}
        fresh = tuple(
            _violated(bench, by_claim[name], promises[name], least[name], histories, started)
            for name in by_claim
            if name in unbroken and name in least
        )
        by_claim.update({result.id: result for result in fresh})
    return tuple(by_claim.values())


def least_of(broken: Iterable[BrokenByAnother]) -> dict[str, BrokenByAnother]:
    """The smallest case for each violated claim; of equal ones the first."""
    least: dict[str, BrokenByAnother] = {}
    for each in broken:
        if each.claim not in least or each.rank < least[each.claim].rank:
            least[each.claim] = each
    return least


def _put_to_all(bench: Bench, results: Iterable[ClaimResult]) -> Iterator[BrokenByAnother]:
    """The claims that each counterexample violates, including the one for which it was shrunk."""
    driver = bench.driver
    for result in results:
        if result.counterexample is not None:
            case = driver.form.read(result.counterexample.trace.case, "case")
            seen = driver.examine(case, bench.subject)
            size, answers = driver.size(case), recorded(driver, seen.plays) if seen.violations else ()
            for violation in seen.violations:
                broken, contradictory = violation.claim, violation.contradictory
                yield BrokenByAnother(broken, contradictory, size, result.id, case, answers)


def _violated(
    bench: Bench,
    result: ClaimResult,
    promised: Promise,
    broken: BrokenByAnother,
    histories: int,
    started: float,
) -> ClaimResult:
    """The claim's result with a counterexample of its own."""
    nothing = counted(histories, bench.job.target.kind.nouns.case)
    return replace(
        result,
        verdict=Verdict.VIOLATED,
        why=f"broken by the counterexample to {broken.by}, not in the {nothing} played",
        counterexample=smallest_counterexample(
            bench, promised, broken.case, started, broken.contradictory, None, broken.answers
        ),
    )

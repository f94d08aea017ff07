"""The counterexample for a violated claim: the smallest case that violates it, narrated round by round."""

from __future__ import annotations

import time
from typing import Any

from kassay.certify.runs.blocks import Bench
from kassay.certify.runs.certificate import Counterexample
from kassay.certify.runs.conditions import breaking, conditions_of, versions_of
from kassay.certify.runs.controls import CONTROL_SHARE
from kassay.certify.runs.shrink import shrink
from kassay.kinds.judging import Subject
from kassay.model.trace import Trace
from kassay.properties.registry import Promise, Violation


def smallest_counterexample(
    bench: Bench, promised: Promise, case: Any, started: float, contradictory: bool, index: int | None
) -> Counterexample:
    """The counterexample from a case that violates the claim, shrunk if the run shrinks.

    `started` is when the run began, in seconds of `time.monotonic`; `index` is the case's number in the run,
    None if no seed generated the case.
    """
    driver, options = bench.driver, bench.job.options
    left = started + options.budget.limit_s * (1 - CONTROL_SHARE) - time.monotonic()
    subject, violations = breaking(bench, driver, case, promised)
    if violations and options.shrink:
        shrunk = shrink(driver, case, subject, promised, seconds=max(2.0, min(20.0, left)))
        if shrunk is not None:
            case, violations, contradictory = (
                shrunk.case,
                shrunk.violations,
                shrunk.violations[0].contradictory,
            )
    return counterexample(
        bench, promised, case, violations, subject=subject, contradictory=contradictory, index=index
    )


def counterexample(
    bench: Bench,
    promised: Promise,
    case: Any,
    violations: tuple[Violation, ...],
    *,
    subject: Subject,
    contradictory: bool,
    index: int | None,
) -> Counterexample:
    """The case as a counterexample to the claim, narrated round by round as the subject played it.

    `index` is its number in the run of the job's seed, None if no seed generated the case.
    """
    from kassay.certify.findings.could_be import broken_and_could_be

    broken, possible = broken_and_could_be(bench.driver, case, subject, promised)
    driver, target = bench.driver, bench.job.target
    subject.renew()
    sizes = driver.counts(case)
    lines = tuple(dict.fromkeys(map(str, violations))) or (
        f"{promised.id}: broken once, but not when the same history was played again",
    )
    trace = Trace(
        kind=target.kind,
        target=target.spec,
        digest=target.digest,
        protocol=target.protocol,
        claim=promised.id,
        contradictory=contradictory,
        case=driver.form.write(case),
        violations=lines,
        narration=tuple(driver.narrate(case, subject)),
        seed=None if index is None else bench.job.options.seed,
        index=index,
        conditions=conditions_of(bench, promised, subject, case),
        versions=versions_of(target),
        broken=broken,
        could_be=possible,
    )
    return Counterexample(
        trace=trace,
        members=sizes["members"],
        partitions=sizes["partitions"],
        events=sizes["events"],
        message=lines[0],
    )

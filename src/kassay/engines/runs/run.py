"""Certifies one target: its claims and a budget in, a certificate out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from math import inf

from kassay.engines.runs.ahead import Ahead, look_ahead
from kassay.engines.runs.blocks import Bench, Job, open_bench, play_block
from kassay.engines.runs.budgets import (
    MEMORY_FROM_S,
    SHRINK_SHARE,
    environment_seconds,
    life_seconds,
    play_deadline,
)
from kassay.engines.runs.certificate import Certificate, ClaimResult, Counterexample, CoveredDimension
from kassay.engines.runs.controls import (
    EarlyControls,
    caught_controls,
    early_controls,
    kept_seconds,
    no_controls,
    scaling_result,
)
from kassay.engines.runs.counterexamples import broken_by_others, smallest_counterexample
from kassay.engines.runs.early import EarlyExamples
from kassay.engines.runs.environments.coverage import EnvironmentCoverage
from kassay.engines.runs.environments.search import EnvironmentFinding, EnvironmentResult, look_elsewhere
from kassay.engines.runs.lives import CALLS_FIRST, CALLS_LAST, GROWTH_MAX_MIB, LifeFinding, LongLife
from kassay.engines.runs.options import RunOptions
from kassay.engines.runs.verdicts import (
    ClaimCount,
    Tally,
    TriedScope,
    reached_by_id,
    verdict_of,
    without,
)
from kassay.engines.runs.workers import Players, worker_processes
from kassay.engines.targets.resolve import Target
from kassay.kinds.alarm import OutOfTime, until
from kassay.model.calls import Look
from kassay.model.kinds import Verdict
from kassay.properties.registry import Claim, Scope
from kassay.properties.wide.ranges import WIDTHS

BLOCK = 100
"""The number of cases in a block; fewer in a run by time whose cases take longer than `BLOCK_S` together."""
BLOCK_S = 0.25
BLOCK_FIRST = 10
"""The number of cases in the first blocks of a run by time."""
EARLY_SHARE = 1 / 6
"""After this share of a time budget controls are tried: where all are caught, the rest goes to histories."""
TIMING_MIN_S = 20.0
"""A claim about time gets at least this long, whatever the budget."""
UNFINISHED = "scope-unfinished"
"""Counted in a tally whose scope was not tried to its end."""
PATIENCE_SHARE = 1 / 5
"""Once a claim is violated on ordinary input, and that is shrunk, the search continues for this share."""
SILENT_FROM = 2
"""A class that an assumption excludes is no claim's if it is shown so often and no claim is ever judged."""


@dataclass(frozen=True)
class RunProgress:
    """The progress of a run: the claims violated so far, and a counterexample that was just shrunk."""

    phase: str
    histories: int
    findings: int
    share: float
    broken: tuple[str, ...] = ()
    shrunk: ClaimResult | None = None


Report = Callable[[RunProgress], object]


def certify(target: Target, options: RunOptions, report: Report = lambda _: None) -> Certificate:
    """Certify the target.

    Same seed and number of histories, same certificate, whatever `jobs` is; with a time budget the number of
    histories depends on the machine. A `KeyboardInterrupt` ends the run: the counts up to then are reported,
    and nothing is shrunk. Raises `TargetNotLoadable` if the target does not start, and `InputError` for
    claims that its kind does not have.
    """
    started = time.monotonic()
    job = Job(target, options)
    claims = job.claims
    tally, interrupted = Tally(), False
    early: EarlyControls | None = None
    ahead: Ahead | None = None
    environment = EnvironmentCoverage(gaps=("environment not varied (the run was interrupted)",))
    try:
        with open_bench(job) as bench:
            examples = EarlyExamples(bench, started)
            if options.exhaustive:
                _exhaust(bench, tally, report)
            else:
                early, ahead = _play(job, bench, tally, started, report, examples)
            lived = _lives(bench, tally)
            known = None if ahead is None else ahead.environments(bench, _broken(tally))
            elsewhere = known or _environments(bench, tally)
            environment = elsewhere.coverage
            results = tuple(
                _reported(bench, claim, tally, started, report, elsewhere, lived, examples)
                for claim in claims
            )
            results = _with_memory(bench, results)
            results = _with_others(bench, results, tally, started, report)
        controls = ahead.controls if ahead is not None else None
        if controls is None:
            controls = _controls(job, tally, started, report, early) if options.controls else no_controls(job)
    except KeyboardInterrupt:
        interrupted = True
        results, controls = _results_so_far(job, tally, started), no_controls(job)
    return Certificate(
        target=target.spec,
        kind=target.kind,
        protocol=target.protocol.value,
        digest=target.digest,
        seed=options.seed,
        budget=_budget(options),
        profile=options.profile,
        assume=tuple(sorted(job.assume)),
        histories=tally.histories,
        rebalances=tally.rebalances,
        claims=results,
        reached=reached_by_id(target.kind, tally, claims, target.traits),
        controls=controls,
        environment=environment,
        elapsed_s=round(time.monotonic() - started, 3),
        notes=_notes(job),
        interrupted=interrupted,
        coverage=() if options.exhaustive else _coverage(job, tally),
        wide_share=round(tally.wide_seconds / tally.seconds, 3) if tally.seconds else 0.0,
    )


def _coverage(job: Job, tally: Tally) -> tuple[CoveredDimension, ...]:
    """What of the wide input was checked, by dimension; a run of one shape has none."""
    if job.profile.shape:
        return ()
    dimensions, excluded = [], {each.id for each in job.widths.numbers if each.excluded_by.difference(WIDTHS)}
    for dimension, classes in job.widths.expected().items():
        covered = tuple(each for each in classes if (dimension, each) in tally.covered)
        silent = tuple(
            each
            for each in classes
            if dimension in excluded and each not in covered and tally.silent[dimension, each] >= SILENT_FROM
        )
        missing = tuple(each for each in classes if each not in covered and each not in silent)
        dimensions.append(CoveredDimension(dimension, covered, missing, silent))
    return tuple(dimensions)


def _notes(job: Job) -> tuple[str, ...]:
    """What the scope of the run leaves out, if it has one."""
    cut = without(job.driver.left_out)
    return ("{}x{} is {}".format(*job.options.exhaustive, cut),) if job.options.exhaustive and cut else ()


def _results_so_far(job: Job, tally: Tally, started: float) -> tuple[ClaimResult, ...]:
    """The results of an interrupted run, on a new bench: the run's own may be in the middle of a call."""
    job = replace(job, options=replace(job.options, shrink=False))
    with ExitStack() as stack:
        bench = stack.enter_context(open_bench(job)) if tally.findings else None
        return tuple(
            _unfinished(claim, tally)
            if bench is None or not _count(tally, claim).failed
            else _result(bench, claim, tally, EarlyExamples(bench, started))
            for claim in job.claims
        )


def _unfinished(claim: Claim, tally: Tally) -> ClaimResult:
    """The result of a claim that was not violated before the run was interrupted."""
    count = _count(tally, claim)
    return ClaimResult(
        id=claim.id,
        sentence=claim.kind.sentence,
        verdict=Verdict.UNKNOWN,
        why="interrupted",
        judged=count.judged,
        checked=count.checked,
        across_processes=count.elsewhere if Look.PROCESS in claim.kind.looks else None,
        failed=0,
    )


def _count(tally: Tally, claim: Claim) -> ClaimCount:
    return tally.counts.get(claim.id, ClaimCount())


def _budget(options: RunOptions) -> dict[str, object]:
    scope = {"exhaustive": "{}x{}".format(*options.exhaustive)} if options.exhaustive else {}
    return {**scope, **asdict(options.budget)}


def _lives(bench: Bench, tally: Tally) -> LongLife:
    """What an object does that lives through many cases, of the claims that are not violated yet."""
    seconds = life_seconds(bench.job) or inf
    return bench.live_long(_broken(tally), seconds)


def _with_memory(bench: Bench, results: tuple[ClaimResult, ...]) -> tuple[ClaimResult, ...]:
    """The results; `terminates` is violated too by a target that keeps its calls, given the time."""
    limit = bench.job.options.budget.limit_s
    about = [result for result in results if result.id == "terminates"]
    if limit == inf or limit < MEMORY_FROM_S or not about or about[0].verdict is Verdict.VIOLATED:
        return results
    growth = bench.memory_growth(limit / 8)
    if growth is None or growth <= GROWTH_MAX_MIB:
        return results
    why = f"memory grows by {growth:.0f} MiB between call {CALLS_FIRST:,} and {CALLS_LAST:,} of one object"
    return tuple(
        replace(result, verdict=Verdict.VIOLATED, why=why, failed=1) if result is about[0] else result
        for result in results
    )


def _environments(bench: Bench, tally: Tally) -> EnvironmentResult:
    """What other environments show of the claims that are not violated yet."""
    options = bench.job.options
    seconds = environment_seconds(options) or inf
    return look_elsewhere(bench, seconds, _broken(tally))


def _play(
    job: Job, bench: Bench, total: Tally, started: float, report: Report, examples: EarlyExamples
) -> tuple[EarlyControls | None, Ahead | None]:
    """Play seeded cases until the budget is spent, and add the results to `total`.

    A run by time shrinks what violates a claim at once. Returns the controls that it tried on the way; of a
    run by number in several processes what one of them did while the others played.
    """
    options = job.options
    limit = options.budget.histories
    next_index = 0
    found_at: float | None = None
    early: EarlyControls | None = None
    early_at = started + EARLY_SHARE * options.budget.limit_s if limit is None and options.controls else inf
    with _players(job, bench, total) as (submit, waiting, apart):
        ahead = apart(look_ahead) if apart is not None and limit is not None else None
        while True:
            covered = not job.wants_classes(next_index)
            if early is None and covered and total.histories and time.monotonic() > early_at:
                early = early_controls(job, total.histories)
                bench.kept_s = kept_seconds(job, early)
            now = time.monotonic()
            deadline = play_deadline(job, started, total.findings, covered=covered, early=early)
            patience = (
                found_at + PATIENCE_SHARE * options.budget.limit_s if found_at is not None else deadline
            )
            over = now > deadline or now > patience or (limit is not None and next_index >= limit)
            while not over and len(waiting) < 2 * options.jobs and (limit is None or next_index < limit):
                stop = next_index + _block(total) if limit is None else min(limit, next_index + BLOCK)
                waiting.append(submit(next_index, stop, min(deadline, patience)))
                next_index = stop
            if not waiting:
                return early, None if ahead is None else ahead.result()
            total.add(waiting[0].result())
            del waiting[0]
            share = _share(job, started, total, early)
            report(RunProgress("playing", total.histories, total.findings, share, _broken(total)))
            for claim, example in examples.shrink_new(total):
                shrunk = _verdict(bench, claim, total, example)
                report(
                    RunProgress("shrinking", total.histories, total.findings, share, _broken(total), shrunk)
                )
            ordinary = any(count.failed > count.contradictory for count in total.counts.values())
            if ordinary and found_at is None:
                found_at = time.monotonic()


def _block(total: Tally) -> int:
    """How many cases a block of a run by time has, so that what violates a claim is seen soon."""
    if not total.histories or not total.seconds:
        return BLOCK_FIRST
    return max(1, min(BLOCK, int(BLOCK_S * total.histories / total.seconds)))


def _share(job: Job, started: float, tally: Tally, early: EarlyControls | None) -> float:
    histories = job.options.budget.histories
    if histories is not None:
        return tally.histories / max(1, histories)
    spent = time.monotonic() - started
    return min(1.0, spent / max(1e-9, play_deadline(job, started, early=early) - started))


@contextmanager
def _players(job: Job, bench: Bench, total: Tally) -> Iterator[Players]:
    """What plays the blocks: this process, or several others.

    On an interrupt, the results up to then are added to `total`.
    """
    if job.options.jobs > 1:
        with worker_processes(job, total) as players:
            yield players
        return

    def here(start: int, stop: int, deadline: float) -> Future[Tally]:
        done: Future[Tally] = Future()
        tally = Tally()
        try:
            done.set_result(play_block(bench, start, stop, deadline, tally, hurries=True))
        except KeyboardInterrupt:
            total.add(tally)
            raise
        return done

    yield Players(here, [])


def _exhaust(bench: Bench, total: Tally, report: Report) -> None:
    """Play every case of the scope, or as many as the time allows, and add the results to `total`."""
    options = bench.job.options
    members, partitions = options.exhaustive or (0, 0)
    started = time.monotonic()
    deadline = started + options.budget.limit_s
    cases = bench.driver.scope(bench.job.profile, members, partitions)
    try:
        for index, case in enumerate(until(deadline, cases)):
            total.take(index, case, bench.driver.examine(case, bench.subject_for(index)), bench.driver)
            if index % BLOCK == 0:
                report(RunProgress("exhausting", total.histories, total.findings, 0.0, _broken(total)))
    except OutOfTime:
        total.reached[UNFINISHED] = 1


def _broken(tally: Tally) -> tuple[str, ...]:
    """The claims violated so far."""
    return tuple(name for name, count in tally.counts.items() if count.failed)


def _reported(
    bench: Bench,
    claim: Claim,
    tally: Tally,
    started: float,
    report: Report,
    elsewhere: EnvironmentResult,
    lived: LongLife,
    examples: EarlyExamples,
) -> ClaimResult:
    """The verdict on one claim; a shrunk counterexample is reported, unless it was already."""
    finding = elsewhere.finding(claim.id)
    life = lived.findings.get(claim.id) or lived.alone.get(claim.id)
    if life is not None:
        result = _after_others(bench, claim, tally, started, life)
    elif finding is not None:
        result = _differing(bench, claim, tally, started, finding)
    else:
        result = _result(bench, claim, tally, examples)
    if result.counterexample is not None and not examples.has(claim, result.counterexample):
        now = RunProgress("shrinking", tally.histories, tally.findings, 1.0, _broken(tally), result)
        report(now)
    return result


def _with_others(
    bench: Bench, results: tuple[ClaimResult, ...], tally: Tally, started: float, report: Report
) -> tuple[ClaimResult, ...]:
    """The results after checking each counterexample against the other claims; reports new violations."""
    if not bench.job.options.shrink:
        return results
    crossed, broken = broken_by_others(bench, results, tally.histories, started), _broken(tally)
    for before, after in zip(results, crossed, strict=True):
        if after is not before:
            broken = (*broken, after.id)
            report(RunProgress("shrinking", tally.histories, len(broken), 1.0, broken, after))
    return crossed


def _result(bench: Bench, claim: Claim, tally: Tally, examples: EarlyExamples) -> ClaimResult:
    """The verdict on one claim, with its smallest counterexample."""
    if claim.kind.scope is Scope.TIMING:
        seconds = max(TIMING_MIN_S, SHRINK_SHARE * bench.job.options.budget.limit_s)
        return scaling_result(bench.driver, bench.subject, claim, seconds)
    worst = _count(tally, claim).worst
    return _verdict(bench, claim, tally, None if worst is None else examples.smallest(claim, worst))


def _verdict(bench: Bench, claim: Claim, tally: Tally, counterexample: Counterexample | None) -> ClaimResult:
    """The verdict on one claim from the counts, with this counterexample."""
    job, count = bench.job, _count(tally, claim)
    verdict, why = verdict_of(claim, job.target.kind, tally, job.ruled_out, _scope_of(job, tally))
    worst = count.worst
    if worst and counterexample and worst.contradictory and not counterexample.trace.contradictory:
        why += "; made smaller, on ordinary input"
    return ClaimResult(
        id=claim.id,
        sentence=claim.kind.sentence,
        verdict=verdict,
        why=why,
        judged=count.judged,
        checked=count.checked,
        across_processes=count.elsewhere if Look.PROCESS in claim.kind.looks else None,
        failed=count.failed,
        counterexample=counterexample,
    )


def _scope_of(job: Job, tally: Tally) -> TriedScope | None:
    """The scope of the run, if it has one."""
    if job.options.exhaustive is None:
        return None
    name = "{}x{}".format(*job.options.exhaustive)
    return TriedScope(name, job.driver.left_out, not tally.reached.get(UNFINISHED))


def _differing(
    bench: Bench, claim: Claim, tally: Tally, started: float, finding: EnvironmentFinding
) -> ClaimResult:
    """The verdict on a claim that is violated between two environments."""
    bench.between[claim.id] = (finding.cause.first, finding.cause.then)
    example = smallest_counterexample(
        bench, claim, finding.case, started, False, finding.index, finding.answers
    )
    return replace(
        _unfinished(claim, tally),
        verdict=Verdict.VIOLATED,
        why=finding.why,
        failed=finding.failed,
        counterexample=example,
    )


def _after_others(
    bench: Bench, claim: Claim, tally: Tally, started: float, finding: LifeFinding
) -> ClaimResult:
    """The verdict on a claim that only an object violates that lived through other cases."""
    if finding.before is not None:
        bench.before[claim.id] = finding.before
    example = smallest_counterexample(
        bench, claim, finding.case, started, contradictory=False, index=None, answers=finding.answers
    )
    return replace(
        _unfinished(claim, tally),
        verdict=Verdict.VIOLATED,
        why=finding.why,
        failed=1,
        counterexample=example,
    )


def _controls(
    job: Job, tally: Tally, started: float, report: Report, early: EarlyControls | None
) -> dict[str, object]:
    """Which of the faulty targets the run's own histories catch."""

    def tell(caught: int) -> None:
        report(RunProgress("controls", tally.histories, caught, 1.0))

    return caught_controls(job, tally.histories, started, tell, early)

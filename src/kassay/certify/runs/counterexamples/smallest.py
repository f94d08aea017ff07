"""The counterexample for a violated claim: the smallest case that violates it, narrated round by round.

What is narrated, judged and recorded is one play: that in which the claim was violated. A target may answer
differently when the same case is played again.
"""

from __future__ import annotations

import time
from typing import Any, Final, NamedTuple

from kassay.certify.runs.blocks import Bench
from kassay.certify.runs.certificate import Counterexample
from kassay.certify.runs.conditions import SEARCH_S, breaking, conditions_of, versions_of
from kassay.certify.runs.controls import CONTROL_SHARE
from kassay.certify.runs.shrink import (
    REPEATS_MAX,
    REPEATS_S,
    TRIES_MAX,
    BrokenPlay,
    Shrinkable,
    frequency,
    plays_for,
    repeated,
    shrink,
    violations_of,
)
from kassay.kinds.judging import Subject
from kassay.kinds.recorded import Recorded, examined, recorded
from kassay.model.errors import InputError
from kassay.model.trace import Repeated, Trace
from kassay.properties.registry import Promise

SHRINK_S: Final = 20.0
"""The longest time to shrink one counterexample, in seconds."""
VARYING_S: Final = 5.0
"""The same where answers differ from play to play: no candidate is ever certain to keep the claim."""
SEARCH_LEAST_S: Final = 0.5
"""The least time to play a case again that violated a claim once, in seconds."""
_SEEN_AGAIN: Final = 2
"""A case that was thought to be violated in every play is shrunk once more if it is not."""


class ShrunkCase(NamedTuple):
    """A case, the subject that played it, the play that violates the claim, and further plays of the case.

    `play` is None if the claim was violated once, its answers were not recorded, and no play did it again.
    `repeated` is None if every further play violated it too.
    """

    case: Any
    subject: Subject
    play: BrokenPlay | None
    repeated: Repeated | None = None


def smallest_counterexample(
    bench: Bench,
    promised: Promise,
    case: Any,
    started: float,
    contradictory: bool,
    index: int | None,
    answers: Recorded = (),
) -> Counterexample:
    """The counterexample from a case that violates the claim, shrunk if the run shrinks.

    `started` is when the run began, in seconds of `time.monotonic`; `index` is the case's number in the run,
    None if no seed generated the case. `answers` are those with which it violated the claim.
    """
    options = bench.job.options
    left = started + options.budget.limit_s * (1 - CONTROL_SHARE) - time.monotonic()
    seconds = max(2.0, min(SHRINK_S, left)) if options.shrink else 0.0
    smallest = smallest_case(bench, bench.driver, promised, case, answers, seconds=seconds)
    return counterexample(bench, promised, smallest, contradictory=contradictory, index=index)


def smallest_case(
    bench: Bench,
    driver: Shrinkable,
    promised: Promise,
    case: Any,
    answers: Recorded = (),
    *,
    seconds: float = SHRINK_S,
    tries: int = TRIES_MAX,
) -> ShrunkCase:
    """The case, shrunk in at most so many seconds and tries (0: not), with a play that violates the claim.

    If no play does so again, the case itself with its recorded answers.
    """
    deadline = time.monotonic() + seconds
    subject, play = breaking(bench, driver, case, promised, min(SEARCH_S, max(SEARCH_LEAST_S, seconds / 2)))
    if play is None:
        apart = promised.id in bench.between or promised.id in bench.before
        recorder = subject if apart else bench.subject
        play = _as_recorded(bench, promised, case, recorder, answers)
        count = repeated(driver, case, recorder, promised, REPEATS_MAX, REPEATS_S)
        return ShrunkCase(case, recorder if play else subject, play, count)
    count = frequency(driver, case, subject, promised, play.seconds)
    for _ in range(_SEEN_AGAIN if seconds and tries else 0):
        was_always, left = count.always, max(0.0, deadline - time.monotonic())
        plays = plays_for(count if count.broken else Repeated(play.tries, 1))
        shrunk = shrink(
            driver, case, subject, promised, tries, left if was_always else min(VARYING_S, left), plays
        )
        if shrunk is not None:
            case, play = shrunk.case, shrunk.play
            count = frequency(driver, case, subject, promised, play.seconds)
        if not was_always or count.always:
            break
    return ShrunkCase(case, subject, play, None if count.always else count)


def _as_recorded(
    bench: Bench, promised: Promise, case: Any, subject: Subject, answers: Recorded
) -> BrokenPlay | None:
    """The play of the subject with the recorded answers, if there are any and they violate the claim."""
    if not answers:
        return None
    try:
        seen = examined(bench.driver, case, subject, answers)
    except InputError:
        return None
    violations = violations_of(seen, promised)
    return BrokenPlay(violations, seen.plays) if violations else None


def counterexample(
    bench: Bench, promised: Promise, smallest: ShrunkCase, *, contradictory: bool, index: int | None
) -> Counterexample:
    """The case as a counterexample to the claim, narrated round by round as the subject played it.

    `index` is its number in the run of the job's seed, None if no seed generated the case.
    """
    from kassay.certify.findings.could_be import broken_and_could_be

    case, subject, play, count = smallest
    driver, target = bench.driver, bench.job.target
    if play is None:
        subject.renew()
    plays = list(driver.play(case, subject)) if play is None else play.plays
    broken, possible = broken_and_could_be(driver, case, plays, subject, promised)
    sizes = driver.counts(case)
    lines = tuple(dict.fromkeys(map(str, play.violations if play else ()))) or (
        f"{promised.id}: broken once, but not when the same history was played again",
    )
    trace = Trace(
        kind=target.kind,
        target=target.spec,
        digest=target.digest,
        protocol=target.protocol,
        claim=promised.id,
        contradictory=play.contradictory if play else contradictory,
        case=driver.form.write(case),
        violations=lines,
        narration=tuple(driver.narrated(plays)),
        seed=None if index is None else bench.job.options.seed,
        index=index,
        conditions=conditions_of(bench, promised, subject, case, 1 if count is None else plays_for(count)),
        versions=versions_of(target),
        broken=broken,
        could_be=possible,
        answers=recorded(driver, plays),
        repeated=count,
    )
    return Counterexample(
        trace=trace,
        members=sizes["members"],
        partitions=sizes["partitions"],
        events=sizes["events"],
        message=lines[0],
    )

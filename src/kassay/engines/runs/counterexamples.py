"""Counterexamples of a run: the smallest of each broken claim, and which other claims it breaks.

What is narrated, judged and recorded is one play: that in which the claim was violated. A target may answer
differently when the same case is played again. While shrinking, cases become smaller and plainer than those
that a run plays, and reach what no played case did: a claim that another one's counterexample breaks does not
hold, however often it was not refuted. A trace records the conditions under which a claim was violated, so
that a replay uses the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import Any, Final, NamedTuple

from kassay import __version__
from kassay.engines.runs.blocks import Bench
from kassay.engines.runs.certificate import ClaimResult, Counterexample
from kassay.engines.runs.controls import CONTROL_SHARE
from kassay.engines.runs.shrink import (
    REPEATS_MAX,
    REPEATS_S,
    TRIES_MAX,
    BrokenPlay,
    Shrinkable,
    broken_play,
    frequency,
    plays_for,
    repeated,
    shrink,
    violations_of,
)
from kassay.engines.targets.resolve import Target
from kassay.kinds.judging import Subject
from kassay.kinds.recorded import Recorded, examined, recorded
from kassay.model.errors import InputError, TargetNotLoadable
from kassay.model.kinds import Verdict
from kassay.model.trace import Conditions, Repeated, Trace
from kassay.properties.registry import Claim
from kassay.writing.text import counted

SEARCH_S: Final = 2.0
"""How long to play a case again that violated a claim once, in seconds."""


class Breaking(NamedTuple):
    """A subject, and its play that violates the claim; None if no play did."""

    subject: Subject
    play: BrokenPlay | None


def breaking(
    bench: Bench, driver: Shrinkable, case: Any, claim: Claim, seconds: float = SEARCH_S
) -> Breaking:
    """The plainest of the bench's subjects that violates the claim with the case, and the play in which.

    Each subject plays the case once. If none violates the claim, they go on in turns for so many seconds: the
    answers may differ from play to play. If none ever does, the plainest of all and no play.
    """
    subjects: list[Subject] = []
    for subject in bench.subjects_of(claim):
        subjects.append(subject)
        if (play := broken_play(driver, case, subject, claim)) is not None:
            return Breaking(subject, play)
    deadline = time.monotonic() + seconds
    for tries in range(2, REPEATS_MAX + 1):
        for subject in subjects:
            if time.monotonic() > deadline:
                return Breaking(subjects[0], None)
            if (play := broken_play(driver, case, subject, claim)) is not None:
                return Breaking(subject, play._replace(tries=tries))
    return Breaking(subjects[0], None)


def conditions_of(bench: Bench, claim: Claim, subject: Subject, case: Any, plays: int = 1) -> Conditions:
    """The conditions under which the subject, one of the bench's for the claim, violated it with the case.

    The case is played up to `plays` times to see whether a known hash seed repeats the violation.
    """
    start, options = bench.job.target.start, bench.job.options
    alone = len(subject.claims) == 1
    return Conditions(
        config={**dict(start.config), **options.config},
        call_timeout_s=start.limits.call_timeout_s,
        memory_mib=start.limits.memory_mib,
        in_process=options.in_process,
        assume=tuple(sorted(subject.assume)),
        also_checked=() if alone else tuple(other.id for other in subject.claims),
        hash_seed=_hash_seed(bench, claim, case, plays),
        surroundings=bench.between.get(claim.id, ()),
        before=_documents(bench, claim),
    )


def _documents(bench: Bench, claim: Claim) -> tuple[Mapping[str, Any], ...] | None:
    """The cases that an object lives through before it breaks the claim; None if each call gets a new one."""
    before = bench.before.get(claim.id)
    return None if before is None else tuple(bench.driver.form.write(case) for case in before)


def _hash_seed(bench: Bench, claim: Claim, case: Any, plays: int) -> int | None:
    """0 if the case violates the claim in a child with that hash seed too, None if only in this process.

    An object in this process depends on a hash seed that cannot be set again.
    """
    if bench.job.target.opener.repeats or claim.id in {**bench.between, **bench.before}:
        return 0
    try:
        apart, deadline = bench.subject_apart(claim), time.monotonic() + SEARCH_S
        return 0 if broken_play(bench.driver, case, apart, claim, plays, deadline) else None
    except TargetNotLoadable:
        return None


def versions_of(target: Target) -> dict[str, str]:
    """The versions of kassay and of the target's parts, by name."""
    return {"kassay": __version__, **dict(target.versions)}


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
    claim: Claim,
    case: Any,
    started: float,
    contradictory: bool,
    index: int | None,
    answers: Recorded = (),
    seconds: float | None = None,
) -> Counterexample:
    """The counterexample from a case that violates the claim, shrunk if the run shrinks.

    `started` is when the run began, in seconds of `time.monotonic`; `index` is the case's number in the run,
    None if no seed generated the case. `answers` are those with which it violated the claim. Shrinking takes
    at most `seconds`, if given.
    """
    options = bench.job.options
    limit = options.budget.limit_s
    playing = limit * (1 - CONTROL_SHARE) if bench.kept_s is None else limit - bench.kept_s
    left = max(2.0, min(SHRINK_S, started + playing - time.monotonic()))
    limited = min(left, inf if seconds is None else seconds) if options.shrink else 0.0
    smallest = smallest_case(bench, bench.driver, claim, case, answers, seconds=limited)
    return counterexample(bench, claim, smallest, contradictory=contradictory, index=index)


def smallest_case(
    bench: Bench,
    driver: Shrinkable,
    claim: Claim,
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
    subject, play = breaking(bench, driver, case, claim, min(SEARCH_S, max(SEARCH_LEAST_S, seconds / 2)))
    if play is None:
        apart = claim.id in bench.between or claim.id in bench.before
        recorder = subject if apart else bench.subject
        play = _as_recorded(bench, claim, case, recorder, answers)
        count = repeated(driver, case, recorder, claim, REPEATS_MAX, REPEATS_S)
        return ShrunkCase(case, recorder if play else subject, play, count)
    count = frequency(driver, case, subject, claim, play.seconds)
    for _ in range(_SEEN_AGAIN if seconds and tries else 0):
        was_always, left = count.always, max(0.0, deadline - time.monotonic())
        plays = plays_for(count if count.broken else Repeated(play.tries, 1))
        shrunk = shrink(
            driver, case, subject, claim, tries, left if was_always else min(VARYING_S, left), plays
        )
        if shrunk is not None:
            case, play = shrunk.case, shrunk.play
            count = frequency(driver, case, subject, claim, play.seconds)
        if not was_always or count.always:
            break
    return ShrunkCase(case, subject, play, None if count.always else count)


def _as_recorded(
    bench: Bench, claim: Claim, case: Any, subject: Subject, answers: Recorded
) -> BrokenPlay | None:
    """The play of the subject with the recorded answers, if there are any and they violate the claim."""
    if not answers:
        return None
    try:
        seen = examined(bench.driver, case, subject, answers)
    except InputError:
        return None
    violations = violations_of(seen, claim)
    return BrokenPlay(violations, seen.plays) if violations else None


def counterexample(
    bench: Bench, claim: Claim, smallest: ShrunkCase, *, contradictory: bool, index: int | None
) -> Counterexample:
    """The case as a counterexample to the claim, narrated round by round as the subject played it.

    `index` is its number in the run of the job's seed, None if no seed generated the case.
    """
    from kassay.engines.findings import broken_and_could_be

    case, subject, play, count = smallest
    driver, target = bench.driver, bench.job.target
    if play is None:
        subject.renew()
    plays = list(driver.play(case, subject)) if play is None else play.plays
    broken, possible = broken_and_could_be(driver, case, plays, subject, claim)
    sizes = driver.counts(case)
    lines = tuple(dict.fromkeys(map(str, play.violations if play else ()))) or (
        f"{claim.id}: broken once, but not when the same history was played again",
    )
    trace = Trace(
        kind=target.kind,
        target=target.spec,
        digest=target.digest,
        protocol=target.protocol,
        claim=claim.id,
        contradictory=play.contradictory if play else contradictory,
        case=driver.form.write(case),
        violations=lines,
        narration=tuple(driver.narrated(plays)),
        seed=None if index is None else bench.job.options.seed,
        index=index,
        conditions=conditions_of(bench, claim, subject, case, 1 if count is None else plays_for(count)),
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
    claims = {claim.id: claim for claim in bench.job.claims}
    by_claim = {result.id: result for result in results}
    fresh: tuple[ClaimResult, ...] = results
    while fresh:
        unbroken = {name for name, result in by_claim.items() if result.verdict is not Verdict.VIOLATED}
        least = least_of(_put_to_all(bench, fresh)) if unbroken else {}
        fresh = tuple(
            _violated(bench, by_claim[name], claims[name], least[name], histories, started)
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
    claim: Claim,
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
            bench, claim, broken.case, started, broken.contradictory, None, broken.answers
        ),
    )

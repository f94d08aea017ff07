"""Compares two targets within a budget: the smallest input on which they differ, or how many inputs agree.

Case number i is that of a `certify` run for the claims of both targets. It follows the answers of the left
target if i is even, and those of the right one if it is odd, so that both targets receive the inputs that
only one of them leads to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, NamedTuple

from kassay.engines.diff.compare import DIFFERENT, By, Compared, Comparison, Lead
from kassay.engines.diff.document import Side, TargetDifference
from kassay.engines.runs.blocks import Bench, Job, open_bench
from kassay.engines.runs.counterexamples import versions_of
from kassay.engines.runs.options import DEFAULT_SECONDS, RunOptions, claims_of
from kassay.engines.runs.shrink import shrink
from kassay.engines.targets.resolve import Target
from kassay.kinds.alarm import OutOfTime, until
from kassay.model.errors import InputError
from kassay.model.kinds import Kind
from kassay.model.trace import Conditions
from kassay.properties.registry import Violation

SCHEMA: Final = "kassay/diff/1"
MORE: Final = 200
"""How many cases are played after the first difference to find a smaller one."""

Report = Callable[[int, int], None]
"""Called with the number of cases played and of inputs compared."""


class SmallestDifference(NamedTuple):
    """The smallest difference: a document, its lines, and the contents of the case."""

    difference: TargetDifference
    counts: dict[str, int]


@dataclass(frozen=True)
class DiffReport:
    """The result of a comparison.

    `inputs` are those that both answered identically and the first difference of each case; `differing` of
    the `cases` had one. On `unanswered` inputs both failed in the same way. `scope` is MxP if every case of a
    scope was to be tried, `left_out` what such a scope does not have, and `finished` says whether every
    requested case was played.
    """

    left: str
    right: str
    kind: Kind
    by: By
    seed: int
    budget: dict[str, object]
    cases: int
    inputs: int
    unanswered: int
    differing: int
    smallest: SmallestDifference | None
    scope: str | None
    left_out: tuple[str, ...]
    finished: bool
    interrupted: bool
    elapsed_s: float
    narrowed_by: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """differ, alike, or unknown if no answers were compared or a scope was not finished."""
        if self.differing:
            return "differ"
        return (
            "alike" if self.inputs > self.unanswered and self.finished and not self.interrupted else "unknown"
        )

    @property
    def exit_code(self) -> int:
        """1 if they differ, 0 if not, 130 if an interrupt came before that was known, 3 if it is unknown."""
        if self.verdict == "unknown":
            return 130 if self.interrupted else 3
        return 1 if self.differing else 0

    def to_json(self, path: str | None = None) -> dict[str, Any]:
        """The document `kassay/diff/1`; `path` is the file with the difference."""
        smallest = self.smallest
        return {
            "schema": SCHEMA,
            "left": self.left,
            "right": self.right,
            "kind": self.kind.name,
            "by": self.by.value,
            "seed": self.seed,
            "budget": self.budget,
            "scope": self.scope,
            "histories": self.cases,
            "inputs": self.inputs,
            "unanswered": self.unanswered,
            "differing": self.differing,
            "verdict": self.verdict,
            "interrupted": self.interrupted,
            "narrowed_by": list(self.narrowed_by),
            "difference": None
            if smallest is None
            else {
                "trace": path,
                "input": "contradictory" if smallest.difference.contradictory else "ordinary",
                **smallest.counts,
                "lines": list(smallest.difference.lines),
            },
            "elapsed_s": self.elapsed_s,
        }


class _Candidate(NamedTuple):
    """A case on which the two differ; the smallest has the least key, with ordinary input first."""

    key: tuple[bool, tuple[int, ...]]
    number: int
    case: Any
    comparison: Comparison
    compared: Compared


@dataclass
class _Seen:
    """The results so far; `first` is the number of the first case that differs, `best` the smallest."""

    cases: int = 0
    inputs: int = 0
    unanswered: int = 0
    differing: int = 0
    first: int | None = None
    best: _Candidate | None = None
    finished: bool = True
    interrupted: bool = False

    def take(self, index: int, case: Any, comparison: Comparison) -> None:
        """Play a case with both and count it."""
        compared = comparison.compare(case)
        self.cases += 1
        self.inputs += compared.inputs
        self.unanswered += compared.unanswered
        if compared.lines:
            self.differing += 1
            self.first = index if self.first is None else self.first
            candidate = _Candidate(
                (compared.contradictory, comparison.size(case)), index, case, comparison, compared
            )
            if self.best is None or candidate.key < self.best.key:
                self.best = candidate


def diff(
    left: Target,
    right: Target,
    options: RunOptions,
    by: By = By.ANSWER,
    report: Report = lambda *_: None,
) -> DiffReport:
    """Compare two targets of one kind on the cases of the options.

    Same seed and number of histories, same result; with a time budget the number of cases depends on the
    machine. A `KeyboardInterrupt` ends the comparison: the results up to then are reported, and nothing is
    shrunk. Raises `TargetNotLoadable` if a target does not start, and `InputError` for targets of two kinds,
    for a kind without a measure of quality, and for a scope if the kind has none.
    """
    started = time.monotonic()
    if left.kind != right.kind:
        raise InputError(
            f"{left.spec} is of kind {left.kind}, {right.spec} of kind {right.kind}: expected one kind"
        )
    job = Job(left, replace(options, claims=_claims(left, right, options)))
    with ExitStack() as stack:
        benches = [stack.enter_context(open_bench(replace(job, target=target))) for target in (left, right)]
        comparison = comparison_of(benches[0], benches[1], by)
        seen = _Seen()
        try:
            _play(job, comparison, seen, started, report)
            smallest = _smallest(benches, seen)
        except KeyboardInterrupt:
            seen.interrupted = True
            smallest = None
    return DiffReport(
        left=left.spec,
        right=right.spec,
        kind=left.kind,
        by=by,
        seed=options.seed,
        budget=asdict(options.budget),
        cases=seen.cases,
        inputs=seen.inputs,
        unanswered=seen.unanswered,
        differing=seen.differing,
        smallest=smallest,
        scope="{}x{}".format(*options.exhaustive) if options.exhaustive else None,
        left_out=tuple(job.driver.left_out) if options.exhaustive else (),
        finished=seen.finished,
        interrupted=seen.interrupted,
        elapsed_s=round(time.monotonic() - started, 3),
    )


def comparison_of(left: Bench, right: Bench, by: By) -> Comparison:
    """The targets of the two benches, compared; raises `InputError` if `by` cannot be measured."""
    driver = left.driver
    if by is By.QUALITY and not driver.goals:
        raise InputError(f"quality of kind {left.job.target.kind} is not measured, expected --by answer")
    specs = left.job.target.spec, right.job.target.spec
    names = specs if specs[0] != specs[1] else (f"{specs[0]} (left)", f"{specs[1]} (right)")
    return Comparison(driver, left.subject, right.subject, names, by)


def _claims(left: Target, right: Target, options: RunOptions) -> tuple[str, ...]:
    """The claims of both targets, which select the recipes of the cases."""
    either = dict.fromkeys((*left.claims, *right.claims))
    own = claims_of(left.kind, left.protocol, tuple(either), replace(options, claims=None))
    return tuple(claim.id for claim in own)


def _cases(job: Job) -> Iterator[Any]:
    options = job.options
    if options.exhaustive is not None:
        yield from job.driver.scope(job.profile, *options.exhaustive)
        return
    index = 0
    while options.budget.histories is None or index < options.budget.histories:
        yield job.case(index)
        index += 1


def _play(job: Job, comparison: Comparison, seen: _Seen, started: float, report: Report) -> None:
    """Play cases with both until the budget is spent, or for a fixed number after a difference."""
    seconds = job.options.budget.seconds
    if seconds is None and job.options.budget.histories is None and job.options.exhaustive is None:
        seconds = DEFAULT_SECONDS
    moment = None if seconds is None else started + seconds
    with suppress(OutOfTime):
        _play_each(job, comparison, seen, until(moment, _cases(job)), report)
        return
    seen.finished = job.options.exhaustive is None


def _play_each(job: Job, comparison: Comparison, seen: _Seen, cases: Iterator[Any], report: Report) -> None:
    """Play the cases with both, or a fixed number after a difference; raises `OutOfTime` as the cases do."""
    for index, case in enumerate(cases):
        if seen.first is not None and index > seen.first + MORE:
            return
        leads = tuple(Lead) if job.options.exhaustive else (tuple(Lead)[index % 2],)
        for lead in leads:
            seen.take(index, case, comparison.led_by(lead))
        report(seen.cases, seen.inputs)


def _smallest(benches: list[Bench], seen: _Seen) -> SmallestDifference | None:
    """The smallest difference, shrunk further."""
    if seen.best is None:
        return None
    _, number, case, led, compared = seen.best
    shrunk = shrink(led, case, led.left, DIFFERENT)
    if shrunk is not None:
        case, again = shrunk.case, led.compare(shrunk.case)
        compared = again if again.lines else compared
    options = benches[0].job.options
    difference = TargetDifference(
        kind=benches[0].job.target.kind,
        left=_side(benches[0].job.target),
        right=_side(benches[1].job.target),
        by=led.by,
        lead=led.lead,
        contradictory=compared.contradictory,
        case=led.driver.form.write(case),
        lines=lines_of(compared),
        conditions=Conditions(
            config=dict(options.config),
            call_timeout_s=options.limits.call_timeout_s,
            memory_mib=options.limits.memory_mib,
            in_process=options.in_process,
            assume=tuple(sorted(benches[0].job.assume)),
        ),
        narration=tuple(led.driver.narrate(case, led.leading)),
        seed=options.seed,
        index=None if options.exhaustive else number,
    )
    return SmallestDifference(difference, dict(led.driver.counts(case)))


def lines_of(compared: Compared) -> tuple[str, ...]:
    """The difference, one line per part."""
    return tuple(str(Violation(DIFFERENT.id, line)) for line in compared.lines)


def _side(target: Target) -> Side:
    return Side(target.spec, target.digest, target.protocol, versions_of(target))

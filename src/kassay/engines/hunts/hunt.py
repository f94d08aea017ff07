"""Hunts a counterexample to a claim: the scopes in order, and three engines.

The scopes of a hunt in order: numbers of members and of partitions.

Hunts a counterexample to a claim on a target with three engines: proof, scopes, histories.

The engines run in this order. A proof covers all sizes of rules that are formulas; a finished scope covers
every group up to a size; histories are random. A counterexample is *least* only if every smaller case of its
scope was tried, or Z3 proves that there is none. A claim that could have failed nowhere is vacuous: unknown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from itertools import islice, product
from typing import Any, Final

from kassay.engines.hunts.proofs import TIME_LIMIT, SizeProof, prove_sentence
from kassay.engines.runs.blocks import Bench, Job, open_bench, play_block
from kassay.engines.runs.certificate import Counterexample
from kassay.engines.runs.counterexamples import counterexample, smallest_case
from kassay.engines.runs.options import RunOptions
from kassay.engines.runs.verdicts import Candidate, ClaimCount, Tally
from kassay.engines.targets.resolve import Target
from kassay.kinds.alarm import OutOfTime, until
from kassay.kinds.judging import Examination
from kassay.kinds.protocol import CellOptions, Driver, ScopeCell
from kassay.kinds.recorded import Recorded, recorded
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.kinds import Kind
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Claim, Scope, is_sentence
from kassay.writing.text import counted

LADDER: Final = (
    (1, 1),
    (2, 2),
    (2, 3),
    (3, 3),
    (3, 4),
    (4, 4),
    (4, 5),
    (4, 6),
    (5, 6),
    (5, 8),
    (6, 8),
    (7, 8),
)
"""The scopes in order, each contains the one before."""


def ladder(
    driver: Driver[Any], most: tuple[int, int] | None
) -> Iterator[tuple[tuple[int, int], list[ScopeCell]]]:
    """The scopes in order, each with the cells that earlier ones lack; ends with `most`.

    In a scope smaller cases come before larger ones: by members first, then by partitions.
    """
    rungs = [rung for rung in LADDER if most is None or (rung[0] <= most[0] and rung[1] <= most[1])]
    if most is not None and most not in rungs:
        rungs.append(most)
    done: set[ScopeCell] = set()
    for members, partitions in rungs:
        pasts = (False, True) if driver.pasts else (False,)
        cells = [
            ScopeCell(m, p, past)
            for m, p in product(range(1, members + 1), range(1, partitions + 1))
            for past in pasts
        ]
        fresh = [cell for cell in cells if cell not in done]
        done.update(fresh)
        yield (members, partitions), fresh


def cases(kind: Kind, cell: ScopeCell, **options: bool) -> Iterator[Any]:
    """The cases of a cell of the kind; `options` are those of `CellOptions`."""
    return driver_for(kind).cell(cell, CellOptions(**options))


BLOCK: Final = 50
PROOF_CASES_MAX: Final = 20_000
"""How many cases of the size that Z3 returns are tried to find the counterexample."""
SCOPE_SHARE: Final = 0.6
"""The share of the time for scopes, if time limits the hunt."""


class HuntOutcome(StrEnum):
    """The possible results of a hunt."""

    PROVED = "proved"
    HOLDS = "holds"
    NOT_REFUTED = "not-refuted"
    UNKNOWN = "unknown"
    BROKEN = "counterexample"


@dataclass(frozen=True)
class HuntOptions:
    """The limits of a hunt: `seconds` in all, or `histories` and a `scope`, which need no clock."""

    seconds: float | None = 30.0
    histories: int | None = None
    scope: tuple[int, int] | None = None
    seed: int = 0
    proofs: bool = True


@dataclass
class ScopeResult:
    """The result for small cases: the finished scopes, and how many evaluations could have failed.

    `applied` counts all evaluations, wherever the claim's conditions held.
    `within` is the scope that was being tried when a case was found that is `broken`.
    `broken` is a case that violates the claim, and its cell; `answers` are those of the target.
    """

    finished: tuple[int, int] | None = None
    finished_fresh: tuple[int, int] | None = None
    tried: int = 0
    applied: int = 0
    judged: int = 0
    broken: tuple[ScopeCell, Any] | None = None
    within: tuple[int, int] | None = None
    answers: Recorded = ()
    by_proof: bool = False


@dataclass(frozen=True)
class SentenceHunt:
    """The result of hunting one claim on one target.

    `narrowed_by` are the settings of a file that left inputs out.
    """

    target: Target
    claim: Claim
    seed: int
    outcome: HuntOutcome
    proof: SizeProof | None
    scope: ScopeResult
    histories: int
    applied: int
    checked: int
    least: bool
    example: Counterexample | None
    elapsed_s: float
    narrowed_by: tuple[str, ...] = ()
    assume: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """1 for a counterexample, 3 for an unknown result, else 0."""
        return {HuntOutcome.BROKEN: 1, HuntOutcome.UNKNOWN: 3}.get(self.outcome, 0)

    @property
    def vacuous(self) -> str | None:
        """Why the claim could have failed nowhere, for all sizes or in what was played; None if it could."""
        if self.outcome is not HuntOutcome.UNKNOWN:
            return None
        if self.proof is not None and self.proof.vacuous is not None:
            return self.proof.vacuous
        if self.checked or self.scope.judged:
            return None
        played = self.scope.tried + self.histories
        if not played:
            return "nothing was played"
        cases = counted(played, self.target.kind.nouns.case)
        if self.applied or self.scope.applied:
            return f"{cases} played, and no answer to any could break the claim"
        return f"{cases} played, and the conditions of the claim held in none"

    def __reduce__(self) -> tuple[Any, ...]:
        """As values: a claim consists of functions, and is parsed again."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return _unpickled, ({**values, "claim": self.claim.id},)


def _unpickled(values: dict[str, Any]) -> SentenceHunt:
    return SentenceHunt(**{**values, "claim": parse_claim(values["claim"], values["target"].kind)})


Report = Callable[[int], None]


def hunt_claim(
    target: Target, spelled: str, options: HuntOptions, run: RunOptions, report: Report = lambda _: None
) -> SentenceHunt:
    """Hunt a counterexample to one claim, a sentence or a built-in one, on the target.

    `run` has the conditions for the target's calls. Raises `InputError` for a claim that its kind does not
    have, or that is about time, and `TargetNotLoadable`.
    """
    started = time.monotonic()
    job = Job(target, replace(run, claims=(spelled,), seed=options.seed, controls=False))
    (claim,) = job.claims
    if claim.kind.scope is Scope.TIMING:
        raise InputError(f"{claim.id}: is about time, which has no counterexample, expected another claim")
    scope, tally, proof, example = ScopeResult(), Tally(), None, None
    if options.proofs and is_sentence(claim.id):
        limit = TIME_LIMIT if options.seconds is None else min(TIME_LIMIT, options.seconds)
        proof = prove_sentence(target.spec, claim.id, job.assume, limit)

    def is_settled() -> bool:
        return _is_settled(proof, scope.applied + tally.of(claim).judged)

    if not is_settled():
        with open_bench(job) as bench:
            _try_proved_size(bench, claim, scope, proof, _deadline(options, started))
            if scope.broken is None:
                with suppress(OutOfTime):
                    _try_scopes(bench, claim, scope, options, started, report, is_settled)
            if scope.broken is not None:
                example = _recorded(bench, claim, scope)
            elif not is_settled():
                _play(bench, tally, options, started, report, is_settled)
                example = _shrunk(bench, claim, tally)
    count = tally.of(claim)
    return SentenceHunt(
        target=target,
        claim=claim,
        seed=options.seed,
        outcome=_outcome(claim, proof, scope, count, example),
        proof=proof,
        scope=scope,
        histories=tally.histories,
        applied=count.judged,
        checked=count.checked,
        least=scope.broken is not None,
        example=example,
        elapsed_s=time.monotonic() - started,
        assume=tuple(sorted(job.assume)),
    )


def _is_settled(proof: SizeProof | None, applied: int) -> bool:
    """Whether the proof needs no other engine: the claim is vacuous, or proved where its conditions hold.

    `applied` counts where they held in what was played.
    """
    if proof is None:
        return False
    return proof.vacuous is not None or (proof.for_all_sizes and (not proof.unwitnessed or applied > 0))


def _outcome(
    claim: Claim,
    proof: SizeProof | None,
    scope: ScopeResult,
    count: ClaimCount,
    example: Counterexample | None,
) -> HuntOutcome:
    if example is not None:
        return HuntOutcome.BROKEN
    if proof is not None and _is_settled(proof, scope.applied + count.judged):
        return HuntOutcome.UNKNOWN if proof.vacuous is not None else HuntOutcome.PROVED
    if scope.judged and (scope.finished or scope.finished_fresh):
        return HuntOutcome.HOLDS
    if count.checked >= claim.kind.minimum:
        return HuntOutcome.NOT_REFUTED
    return HuntOutcome.UNKNOWN


def _deadline(options: HuntOptions, started: float, share: float = 1.0) -> float | None:
    """When this share of the time is over; None if time does not limit the hunt."""
    return None if options.seconds is None else started + share * options.seconds


def _try_proved_size(
    bench: Bench, claim: Claim, scope: ScopeResult, proof: SizeProof | None, deadline: float | None
) -> None:
    """Try the cases of the size at which Z3 has the least counterexample, to reproduce it with the target."""
    if proof is None or proof.least is None or proof.lacking:
        return
    members, partitions = proof.least
    cell = ScopeCell(members, partitions, False)
    cases = bench.driver.cell(cell, CellOptions(equal=True, racks=False))
    with suppress(OutOfTime):
        for case in until(deadline, islice(cases, PROOF_CASES_MAX)):
            scope.tried += 1
            seen = bench.driver.examine(case, bench.subject)
            if _breaks(seen, claim):
                scope.broken, scope.by_proof = (cell, case), True
                scope.answers = recorded(bench.driver, seen.plays)
                return


def _try_scopes(
    bench: Bench,
    claim: Claim,
    scope: ScopeResult,
    options: HuntOptions,
    started: float,
    report: Report,
    is_settled: Callable[[], bool],
) -> None:
    """Try every case of each scope until one violates or settles the claim, or the scopes run out.

    Raises `OutOfTime` if the time for scopes is over before.
    """
    driver = bench.driver
    if driver.pasts is None:
        return
    deadline = _deadline(options, started, SCOPE_SHARE)
    most = options.scope or (driver.usual_scope if deadline is None else None)
    for rung, cells in ladder(driver, most):
        fresh_only = [cell for cell in cells if not cell.pasts]
        for cell in sorted(cells, key=lambda cell: (cell.size, cell.pasts)):
            for case in until(deadline, driver.cell(cell, _narrowed(bench, claim))):
                seen = bench.driver.examine(case, bench.subject)
                scope.tried += 1
                scope.applied += seen.judged.get(claim.id, 0)
                scope.judged += seen.checked.get(claim.id, 0)
                if _breaks(seen, claim):
                    scope.broken, scope.within = (cell, case), rung
                    scope.answers = recorded(driver, seen.plays)
                    return
                if is_settled():
                    return
            report(scope.tried)
            if fresh_only and cell == fresh_only[-1]:
                scope.finished_fresh = rung
        scope.finished = scope.finished_fresh = rung


def _narrowed(bench: Bench, claim: Claim) -> CellOptions:
    """The cases of a cell that the assumptions admit, up to symmetry for a sentence, which sees no ids."""
    assume = bench.job.assume
    return CellOptions(
        equal="equal-subscriptions" in assume,
        idle="no-empty-subscriptions" not in assume,
        racks="no-racks" not in assume,
        alike_by_rack=bench.job.target.alike_by_rack and is_sentence(claim.id),
    )


def _breaks(seen: Examination, claim: Claim) -> bool:
    return any(v.claim == claim.id and not v.contradictory for v in seen.violations)


def _play(
    bench: Bench,
    tally: Tally,
    options: HuntOptions,
    started: float,
    report: Report,
    is_settled: Callable[[], bool],
) -> None:
    """Play random histories until one violates or settles the claim, or the budget is spent."""
    deadline = _deadline(options, started)
    limit = options.histories
    start = 0
    while not tally.findings and not is_settled() and (limit is None or start < limit):
        if deadline is not None and time.monotonic() > deadline:
            return
        stop = start + BLOCK if limit is None else min(limit, start + BLOCK)
        tally.add(play_block(bench, start, stop, deadline))
        start = stop
        report(tally.histories)


def _shrunk(bench: Bench, claim: Claim, tally: Tally) -> Counterexample | None:
    """The shrunk counterexample from the case that violated the claim; None if none did."""
    worst: Candidate | None = tally.of(claim).worst
    if worst is None:
        return None
    case = bench.driver.form.read(worst.case, "case")
    smallest = smallest_case(bench, bench.driver, claim, case, worst.answers)
    return counterexample(bench, claim, smallest, contradictory=worst.contradictory, index=worst.index)


def _recorded(bench: Bench, claim: Claim, scope: ScopeResult) -> Counterexample | None:
    """The case of the scope that violates the claim, as it is; None if none does."""
    if scope.broken is None:
        return None
    smallest = smallest_case(bench, bench.driver, claim, scope.broken[1], scope.answers, seconds=0)
    return counterexample(bench, claim, smallest, contradictory=False, index=None)

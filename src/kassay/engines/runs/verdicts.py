"""Sums the results of many histories and turns the counts into verdicts.

A claim holds only with enough checks and if every required situation was reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from kassay.kinds.judging import Examination
from kassay.kinds.protocol import Driver
from kassay.kinds.recorded import Recorded, recorded
from kassay.model.calls import Look
from kassay.model.kinds import Kind, Verdict
from kassay.properties.registry import Claim, Scope, is_sentence, situations_of
from kassay.writing.text import counted


@dataclass
class Candidate:
    """The smallest case so far that violates a claim, and the target's answers when it did."""

    contradictory: bool
    size: tuple[int, ...]
    index: int
    case: dict[str, Any]
    answers: Recorded = ()

    @property
    def rank(self) -> tuple[bool, tuple[int, ...], int]:
        """Ordinary before contradictory input, small before large, early before late."""
        return self.contradictory, self.size, self.index


@dataclass
class ClaimCount:
    """How often one claim was evaluated, in how many cases it was violated, and the smallest such case.

    `checked` counts those of all `judged` that some well-formed answer would have violated, and `elsewhere`
    those of them that another process answered too. `contradictory` counts those of the `failed` cases that
    violated it on contradictory input only.
    """

    checked: int = 0
    failed: int = 0
    contradictory: int = 0
    judged: int = 0
    elsewhere: int = 0
    worst: Candidate | None = None

    def add(self, other: ClaimCount) -> None:
        """Add the counts of another block."""
        self.checked += other.checked
        self.failed += other.failed
        self.contradictory += other.contradictory
        self.judged += other.judged
        self.elsewhere += other.elsewhere
        if other.worst is not None and (self.worst is None or other.worst.rank < self.worst.rank):
            self.worst = other.worst


@dataclass
class Tally:
    """The results of a block of cases; the sum of several tallies does not depend on their order."""

    histories: int = 0
    rebalances: int = 0
    counts: dict[str, ClaimCount] = field(default_factory=dict)
    reached: Counter[str] = field(default_factory=Counter)
    covered: Counter[tuple[str, str]] = field(default_factory=Counter)
    silent: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: float = field(default=0.0, compare=False)
    wide_seconds: float = field(default=0.0, compare=False)

    @property
    def findings(self) -> int:
        """The number of violated claims."""
        return sum(count.failed > 0 for count in self.counts.values())

    def of(self, claim: Claim) -> ClaimCount:
        """The count of the claim; zeros if it was never evaluated."""
        return self.counts.get(claim.id, ClaimCount())

    def take(self, index: int, case: Any, examination: Examination, driver: Driver[Any]) -> None:
        """Add one examination."""
        self.histories += 1
        self.rebalances += examination.rebalances
        counts, reached = self.counts, self.reached
        for claim_id, number in examination.judged.items():
            count = counts.get(claim_id) or counts.setdefault(claim_id, ClaimCount())
            count.judged += number
            count.checked += examination.checked.get(claim_id, 0)
            count.elsewhere += examination.elsewhere.get(claim_id, 0)
        for name, number in examination.reached.items():
            reached[name] += number
        self.covered.update(examination.covered)
        self.silent.update(examination.silent)
        self.seconds += examination.seconds
        self.wide_seconds += examination.wide_seconds
        if examination.violations:
            self._note(index, case, examination, driver)

    def _note(self, index: int, case: Any, examination: Examination, driver: Driver[Any]) -> None:
        size = driver.size(case)
        noted: set[str] = set()
        answers: Recorded | None = None
        for violation in sorted(examination.violations, key=lambda v: v.contradictory):
            if violation.claim in noted:
                continue
            noted.add(violation.claim)
            count = self.counts.setdefault(violation.claim, ClaimCount())
            count.failed += 1
            count.contradictory += violation.contradictory
            rank = (violation.contradictory, size, index)
            if count.worst is None or rank < count.worst.rank:
                answers = recorded(driver, examination.plays) if answers is None else answers
                count.worst = Candidate(
                    violation.contradictory, size, index, driver.form.write(case), answers
                )

    def add(self, other: Tally) -> None:
        """Add another block."""
        self.histories += other.histories
        self.rebalances += other.rebalances
        for claim_id, count in other.counts.items():
            self.counts.setdefault(claim_id, ClaimCount()).add(count)
        self.reached.update(other.reached)
        self.covered.update(other.covered)
        self.silent.update(other.silent)
        self.seconds += other.seconds
        self.wide_seconds += other.wide_seconds


class TriedScope(NamedTuple):
    """A scope of a run: its name, what scopes of the kind leave out, and whether every case was tried."""

    name: str
    left_out: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    is_finished: bool = True


def without(left_out: Iterable[str]) -> str:
    """`without racks, weights`; empty where nothing is left out."""
    words = ", ".join(left_out)
    return f"without {words}" if words else ""


def verdict_of(
    claim: Claim,
    kind: Kind,
    tally: Tally,
    ruled_out: frozenset[str],
    exhaustive: TriedScope | None = None,
) -> tuple[Verdict, str]:
    """The verdict on one claim, and why; `ruled_out` are assumptions and traits of the target.

    A claim that needs a situation which the scope leaves out is unknown, and so is every claim where the
    scope was not tried to its end.
    """
    count = tally.of(claim)
    if count.failed:
        share = f"in {count.failed:,} of {counted(tally.histories, kind.nouns.case)}"
        if count.contradictory == count.failed:
            return Verdict.VIOLATED, f"violated {share}, on conflicting input only"
        return Verdict.VIOLATED, f"violated {share}"
    if not count.checked:
        return Verdict.UNKNOWN, _of_nothing(claim, kind, tally, exhaustive)
    processes = Look.PROCESS in claim.kind.looks
    if processes and not count.elsewhere:
        return Verdict.UNKNOWN, "no call in another process where the answer could have differed"
    checks = f"{counted(count.checked, 'check')} passed"
    apart = [f"{count.elsewhere:,} across processes"] if processes else []
    if count.judged > count.checked:
        apart.append(f"{count.judged:,} evaluated, the rest vacuous")
    if apart:
        checks += f" ({', '.join(apart)})"
    lacking = [
        name
        for situation in situations_of(kind)
        if situation.is_required(claim.kind.id, ruled_out)
        for name in situation.names
        if not tally.reached.get(name)
    ]
    if exhaustive is not None:
        return _of_scope(exhaustive, lacking, checks)
    if count.checked < claim.kind.minimum:
        return Verdict.UNKNOWN, f"{checks}, {claim.kind.minimum} needed"
    if lacking:
        shown = ", ".join(lacking[:4]) + (f" and {len(lacking) - 4} more" if len(lacking) > 4 else "")
        return Verdict.UNKNOWN, f"not reached: {shown}"
    return Verdict.HOLDS, checks


def _of_scope(scope: TriedScope, lacking: list[str], checks: str) -> tuple[Verdict, str]:
    """The verdict on a claim that no case of the scope violated."""
    if not scope.is_finished:
        return Verdict.UNKNOWN, f"{scope.name} was not tried to its end: {checks}"
    needed = {name.partition(":")[0] for name in lacking}
    cut = [words for words, situations in scope.left_out.items() if not needed.isdisjoint(situations)]
    if cut:
        return Verdict.UNKNOWN, f"needs {', '.join(cut)}, which {scope.name} leaves out: {checks}"
    return Verdict.HOLDS, f"holds on every input to {scope.name}: {checks}"


def _of_nothing(claim: Claim, kind: Kind, tally: Tally, scope: TriedScope | None) -> str:
    """Why there is no verdict on a claim that was never checked."""
    count = tally.of(claim)
    finished = scope is not None and scope.is_finished
    if not count.judged and is_sentence(claim.id):
        where = (
            f"no input to {scope.name}"
            if scope is not None and finished
            else f"none of {counted(tally.histories, kind.nouns.case)}"
        )
        return f"vacuous: {where} meets the conditions of the claim"
    if scope is not None and finished:
        return f"nothing to judge: no input to {scope.name} has an answer that breaks it"
    if count.judged:
        times = counted(count.judged, "time")
        return f"not applicable: evaluated {times}, always where no answer could break it"
    if claim.kind.scope is Scope.OPTIMUM:
        return "never judged: no answer reached what it rests on, or the certified optimum is unknown"
    return "never judged"


def reached_by_id(
    kind: Kind, tally: Tally, claims: Iterable[Claim], traits: frozenset[str] = frozenset()
) -> dict[str, int]:
    """How often each situation of the kind was reached; a situation of several parts counts its rarest part.

    A situation that defines a claim is left out if none of the claims uses it and no history reached it, and
    also if a trait of the target rules it out.
    """
    ids = {claim.kind.id for claim in claims}
    counts = [(s, min(tally.reached[name] for name in s.names)) for s in situations_of(kind)]
    return {
        s.id: count
        for s, count in counts
        if count or (traits.isdisjoint(s.excluded_by) and (not s.defines or not ids.isdisjoint(s.defines)))
    }

"""Baselines: known and accepted findings, by target, claim and class of input.

A finding in the baseline does not fail a run; a new one does. A finding that no longer occurs is reported, so
that the file does not outlive its reasons. An entry may give a reason and an expiry date.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from kassay.assignors.registry import recorded
from kassay.engines.runs.certificate import Certificate, ClaimResult
from kassay.model.errors import InputError
from kassay.model.kinds import Verdict
from kassay.reading.documents import at, is_there, read_json, wrong
from kassay.reading.values import read_as, unique

SCHEMA: Final = "kassay/baseline/1"
NO_REASON: Final = "accepted when the baseline was written"


@dataclass(frozen=True)
class Known:
    """One accepted finding; `input` is ordinary or contradictory."""

    target: str
    claim: str
    input: Literal["ordinary", "contradictory"]
    reason: str = NO_REASON
    expires: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies the finding."""
        return self.target, self.claim, self.input

    def __str__(self) -> str:
        return f"{self.target}: {self.claim} on {self.input} input"


def read_baseline(path: Path) -> tuple[Known, ...]:
    """The accepted findings, with targets as the user specified them; none if the file does not exist yet.

    Raises `InputError` for an invalid baseline.
    """
    if not is_there(path):
        return ()
    baseline = read_as(_Document, read_json(path, "a baseline"), str(path), closed=True)
    findings = tuple(replace(known, target=recorded(known.target)) for known in baseline.findings)
    with at(str(path)):
        unique(((f"findings[{i}]", known.key) for i, known in enumerate(findings)), "the finding")
    for i, known in enumerate(findings):
        if known.expires is not None and not _is_date(known.expires):
            raise wrong(f"{path}: findings[{i}].expires", known.expires, "a date such as 2027-01-31")
    return findings


@dataclass(frozen=True)
class Baseline:
    """A call's baseline file, what it accepts, and whether the call writes it: `first` if there was none."""

    path: Path
    known: tuple[Known, ...]
    first: bool
    written: bool

    @classmethod
    def at(cls, path: Path, *, update: bool) -> Baseline:
        """The baseline in that file. Raises `InputError` for an invalid file, and for a missing one.

        Only an `update` may create it: a mistyped name would otherwise accept all that the run finds.
        """
        first = not is_there(path)
        if first and not update:
            raise InputError(
                f"--baseline {path}: no such file; expected a baseline (to create it from what this run "
                "finds, add --baseline-update)"
            )
        return cls(path, read_baseline(path), first, update)

    def applied(self, certificate: Certificate, today: date) -> Certificate:
        """The certificate with known findings marked; on the first run every finding is known."""
        if not self.first:
            return apply(certificate, self.known, today)
        entries = updated((), [certificate])
        note = f"baseline: {self.path} was not there, so that whatever this run found is accepted"
        return replace(apply(certificate, entries, today), notes=(*certificate.notes, note))


@dataclass(frozen=True)
class _Document:
    """The document of a baseline."""

    schema: Literal["kassay/baseline/1"]
    findings: tuple[Known, ...]


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def class_of(result: ClaimResult) -> Literal["ordinary", "contradictory"]:
    """The class of input on which the claim was violated: ordinary if any violation was on ordinary input."""
    broken_by = result.counterexample
    return "contradictory" if broken_by is not None and broken_by.trace.contradictory else "ordinary"


def apply(certificate: Certificate, baseline: Iterable[Known], today: date) -> Certificate:
    """The certificate with known findings marked, and a note for each that is gone or has expired."""
    known = {entry.key: entry for entry in baseline if entry.target == certificate.target}
    notes = list(certificate.notes)
    results = []
    for result in certificate.claims:
        entry = None
        if result.verdict is Verdict.VIOLATED:
            entry = known.pop((certificate.target, result.id, class_of(result)), None)
        if entry is not None and entry.expires is not None and date.fromisoformat(entry.expires) < today:
            notes.append(
                f"baseline: {result.id} on {entry.input} input was accepted until {entry.expires} only"
            )
            entry = None
        results.append(result if entry is None else replace(result, known=entry.reason))
    judged = {result.id for result in certificate.claims}
    notes += [
        f"baseline: {entry.claim} on {entry.input} input was not "
        + ("found again: obsolete" if entry.claim in judged else "looked for: the claim is not judged here")
        for entry in known.values()
    ]
    return replace(certificate, claims=tuple(results), notes=tuple(notes))


def updated(baseline: Iterable[Known], certificates: Iterable[Certificate]) -> tuple[Known, ...]:
    """The entries after a run: its findings, and the old entries that it did not check or could not decide.

    An entry is removed only if its claim got a verdict on its target and is not violated there on that class
    of input; reasons and dates are kept.
    """
    entries = {entry.key: entry for entry in baseline}
    for certificate in certificates:
        for result in certificate.claims:
            if result.verdict is Verdict.UNKNOWN:
                continue
            for input_class in ("ordinary", "contradictory"):
                key = (certificate.target, result.id, input_class)
                if result.verdict is not Verdict.VIOLATED or input_class != class_of(result):
                    entries.pop(key, None)
                elif key not in entries:
                    entries[key] = Known(certificate.target, result.id, class_of(result))
    return tuple(entries[key] for key in sorted(entries))


def document_of(entries: Iterable[Known]) -> dict[str, Any]:
    """The baseline's document."""
    return {"schema": SCHEMA, "findings": [asdict(entry) for entry in entries]}


def changes(before: Iterable[Known], after: Iterable[Known], today: date) -> list[str]:
    """The changes by an update: a line for each entry that was added, removed or has expired, and counts."""
    old, new = ({entry.key: entry for entry in entries} for entries in (before, after))
    added = [f"added {new[key]}" for key in new if key not in old]
    removed = [f"removed {old[key]}" for key in old if key not in new]
    expired = [
        f"kept {entry}, but its date is over: {entry.expires}"
        for key, entry in new.items()
        if key in old and entry.expires is not None and date.fromisoformat(entry.expires) < today
    ]
    numbers = f"{len(added)} added, {len(removed)} removed, {len(new) - len(added)} kept"
    return [*added, *removed, *expired, numbers]

"""Markdown for a pull request or a step summary: verdicts first, then the counterexamples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kassay.engines.runs.certificate import Certificate, ClaimResult
from kassay.kinds.frames import Frame
from kassay.kinds.views import frames_of_trace
from kassay.report import facts
from kassay.writing.text import Markdown, code, inline, joined, table

BYTES_MAX: Final = 900_000
"""The size limit of a step summary is 1 MiB; a longer document is cut with a note."""


FIRST: Final = ("violated", "unknown", "known", "holds")
"""The order of the claims in the table."""
FRAMES_MAX: Final = 6
"""The maximum number of frames shown of a counterexample."""


def render(certificates: Sequence[Certificate], missing: Sequence[facts.NotLoaded] = ()) -> str:
    """The document, cut after a line to the limit of a step summary; missing targets come first."""
    lost = [
        joined(Markdown("**Not loaded:** "), code(each.target), f": {each.why}") + "\n" for each in missing
    ]
    text = "\n".join([*lost, *_verdicts(certificates), *map(_certificate, certificates)])
    raw = text.encode()
    if len(raw) <= BYTES_MAX:
        return text
    whole, _, _ = raw[:BYTES_MAX].rpartition(b"\n")
    return whole.decode() + "\n\n(cut here: the whole report is in the HTML file)\n"


def _verdicts(certificates: Sequence[Certificate]) -> list[str]:
    """The verdicts on several targets come first, so that a cut keeps them."""
    if len(certificates) < 2:
        return []
    rows = [
        (code(each.target), each.verdict, f"{each.elapsed_s:.1f} s", str(len(facts.warnings(each))))
        for each in certificates
    ]
    return [*table(("target", "verdict", "time", "warnings"), rows), ""]


def _certificate(certificate: Certificate) -> str:
    rows = [
        (code(result.id), Markdown("**violated**") if mark == "violated" else mark, reason)
        for result, mark, reason in sorted(
            facts.judged(certificate.claims), key=lambda row: FIRST.index(row[1])
        )
    ]
    lines = [
        joined(Markdown("## "), certificate.target, f": {certificate.verdict}"),
        "",
        inline(f"{facts.played(certificate)}."),
        "",
        *table(("claim", "verdict", "why"), rows),
    ]
    for result in facts.findings(certificate):
        lines += _counterexample(result)
    if doubts := facts.warnings(certificate):
        lines += ["", Markdown("Before you rely on it:"), ""]
        lines += [joined(Markdown("* "), doubt) for doubt in doubts]
    if facts.unreached(certificate):
        lines += ["", inline(f"Not reached: {facts.unreached(certificate)}.")]
    if facts.coverage(certificate):
        lines += ["", inline(f"Covered: {facts.coverage(certificate)}.")]
    if facts.controls(certificate):
        lines += ["", inline(f"{facts.controls(certificate)}.")]
    return "\n".join(lines) + "\n"


def _counterexample(result: ClaimResult) -> list[str]:
    example = result.counterexample
    if example is None:
        return []
    lines = ["", joined(Markdown("### "), result.id), ""]
    # Four spaces at the start of a line would make it a code block.
    lines += [inline(f"{result.sentence} Minimal counterexample: {facts.size(example)}:".lstrip()), ""]
    lines += [joined(Markdown("* "), message) for message in example.trace.violations[:5]]
    for frame in frames_of_trace(example.trace)[:FRAMES_MAX]:
        lines += _frame(frame)
    if words := facts.remedy_of(example.trace, result.id):
        lines += ["", inline(f"{words}.")]
    lines += ["", "Conditions:", ""]
    lines += [joined(Markdown("* "), condition) for condition in facts.conditions(example.trace)]
    if command := facts.replay_command(example):
        lines += ["", f"    {command}"]
    return lines


def _frame(frame: Frame) -> list[str]:
    """A round: what happened before it, the topics, the assignment, and a possible answer."""
    rows = [(row.title, *(cell.words or "-" for cell in row.cells)) for row in frame.table.rows]
    before = [facts.happened(frame.events)] if frame.events else []
    after = [frame.failure] if frame.failure else []
    if frame.alternative is not None:
        after.append(f"{frame.alternative.label}: {frame.alternative.words}")
    return [
        *("", inline(f"{frame.title}{', broken here' if frame.broken else ''}:"), ""),
        *(joined(Markdown("* "), text) for text in (*before, *frame.notes)),
        *([""] if before or frame.notes else []),
        *table(frame.table.columns, rows),
        *([""] if after else []),
        *map(inline, after),
    ]

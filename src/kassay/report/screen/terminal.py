"""Certificates and traces as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from kassay.certify.runs.certificate import Certificate, ClaimResult
from kassay.kinds.views import frames_of_trace
from kassay.model.kinds import Verdict
from kassay.report import facts
from kassay.report.screen.console import View, line, plain_table, stack, whole_line
from kassay.report.screen.story import story
from kassay.writing.text import counted

_STYLES: Final = {"holds": "green", "violated": "bold red", "unknown": "yellow", "known": "yellow"}
_MARKS: Final = {"violated": "VIOLATED"}


class Detail(Enum):
    """The level of detail of a certificate."""

    QUIET = auto()
    USUAL = auto()
    VERBOSE = auto()


def certificate_view(certificate: Certificate, detail: Detail = Detail.USUAL) -> View:
    """The certificate as readable text; what could make a pass meaningless and the verdict come last."""
    if detail is Detail.QUIET:
        return verdict_line(certificate)
    return stack(body_view(certificate, detail), verdict_line(certificate))


def body_view(certificate: Certificate, detail: Detail = Detail.USUAL) -> View:
    """All of a certificate except its verdict: claims, counterexamples, coverage, warnings."""
    parts: list[View] = [
        line(("target ", "dim"), (certificate.target, "bold"), (f"  {facts.played(certificate)}", "dim"))
    ]
    verbose = detail is Detail.VERBOSE
    parts.append(_counts_table(certificate.claims) if verbose else _claims_table(certificate.claims))
    parts += [_counterexample(result) for result in certificate.claims if result.counterexample]
    parts += _seen(certificate) if verbose else []
    if coverage := facts.coverage(certificate):
        parts += [line(f"covered: {coverage}", style="dim")]
    if controls := facts.controls(certificate):
        parts += [line(f"controls: {controls}", style="dim")]
    parts += [line(f"warning: {warning}", style="yellow") for warning in facts.warnings(certificate)]
    return stack(*parts, line())


def _claims_table(results: Sequence[ClaimResult]) -> View:
    rows = [
        (f"  {result.id}", (_MARKS.get(mark, mark), _STYLES[mark]), (reason, "dim"))
        for result, mark, reason in facts.judged(results)
    ]
    return plain_table(("claim", "verdict", "why"), rows, header=False)


def _counterexample(result: ClaimResult) -> View:
    example = result.counterexample
    if example is None:
        return line()
    violations = example.trace.violations
    parts: list[View] = [
        line(),
        line((result.id, "bold"), f": {result.sentence}"),
        line(f"  smallest found: {facts.size(example)}"),
        *(line(f"  {message}", style="red") for message in violations[:4]),
    ]
    if len(violations) > 4:
        parts.append(line(f"  and {len(violations) - 4} more"))
    trace = example.trace
    parts += [line(), story(frames_of_trace(trace))]
    if words := facts.remedy_of(trace, result.id):
        parts.append(line(f"  {words[0].lower()}{words[1:]}"))
    if command := facts.replay_command(example):
        parts.append(whole_line(f"  replay: {command}", style="cyan"))
    return stack(*parts)


def _counts_table(results: Sequence[ClaimResult]) -> View:
    """The claims with the counts behind each verdict."""
    columns = ("  claim", "verdict", "judged", "could fail", "elsewhere", "failed", "why")
    rows = [
        (
            f"  {result.id}",
            (_MARKS.get(mark, mark), _STYLES[mark]),
            result.judged,
            result.checked,
            "-" if result.across_processes is None else result.across_processes,
            result.failed,
            (reason, "dim"),
        )
        for result, mark, reason in facts.judged(results)
    ]
    return plain_table(columns, rows, numbers=columns[2:6])


def _seen(certificate: Certificate) -> list[View]:
    """The situations that were reached, the most frequent first; what of the input and environment was."""
    counts = sorted(certificate.reached.items(), key=lambda each: (-each[1], each[0]))
    reached = ", ".join(f"{name} {count}" for name, count in counts if count)
    parts: list[View] = [line(), line(f"reached: {reached}", style="dim")] if reached else []
    if certificate.coverage:
        share = f"wide input took {certificate.wide_share:.0%} of the time of all cases"
        parts += [line(), line(share, style="dim")]
    parts += [
        line(f"covered: {each.id}: {', '.join(each.covered) or 'nothing'}", style="dim")
        for each in certificate.coverage
    ]
    environment = certificate.environment
    parts += [line(f"environment: {each}", style="dim") for each in environment.covered]
    return parts + [line(f"environment: {each}", style="dim") for each in environment.gaps]


def verdict_line(certificate: Certificate) -> View:
    """The verdict on a target in one line that never wraps, with the numbers of claims and warnings."""
    style = {"certified": "bold green", "not-certified": "bold red", "unknown": "bold yellow"}
    counts = {v: sum(1 for c in certificate.claims if c.verdict is v and c.known is None) for v in Verdict}
    text = ", ".join(f"{counts[v]} {word}" for v, word in zip(Verdict, ("hold", "violated", "unknown")))
    if known := sum(1 for c in certificate.claims if c.known is not None):
        text += f", {counted(known, 'known violation')}"
    if doubts := len(facts.warnings(certificate)):
        text += f"; {counted(doubts, 'warning')}"
    if narrowed := facts.narrowed_by(certificate.narrowed_by):
        text += f"; {narrowed}"
    if lacking := facts.lacking_environments(certificate):
        text += f"; {lacking}"
    if missed := "" if certificate.interrupted else facts.missed_environments(certificate):
        text += f"; environment not covered: {missed}"
    verdict = certificate.verdict
    return whole_line((verdict.upper().replace("-", " "), style[verdict]), f"  {certificate.target}: {text}")

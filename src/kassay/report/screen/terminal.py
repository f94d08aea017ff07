"""Certificates, traces and the steps of a case as text for a terminal.

The steps of a case on a terminal: the frames that a page draws, as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Final

from kassay.engines.runs.certificate import Certificate, ClaimResult
from kassay.kinds.frames import Cell, Frame, Row, compacted
from kassay.kinds.views import frames_of_trace
from kassay.model.kinds import Verdict
from kassay.report import facts
from kassay.report.screen.console import Part, View, line, plain_table, stack, whole_line
from kassay.writing.text import counted

BROKEN: Final = "<- broken here"
GUILTY: Final = "!"
"""The suffix of a tile or a row that the evidence names, with and without colours."""
FRAMES_MAX: Final = 8
ROWS_A_FRAME: Final = 4
"""The maximum number of rows of a table per frame that may be shown."""


def story(frames: Sequence[Frame], frames_max: int = FRAMES_MAX) -> View:
    """The frames below each other, including the first violated one; possible answers are below its table.

    Of more than `frames_max` frames, those before and after are counted, as are further rows of large tables.
    """
    before, shown = window([each.broken for each in frames], frames_max)
    parts: list[View] = []
    if before:
        parts.append(line(f"  {counted(before, frames[0].noun)} before", style="dim"))
    for each in frames[before : before + shown]:
        parts += _frame(compacted(each), frames_max * ROWS_A_FRAME)
    if rest := len(frames) - before - shown:
        parts.append(line(f"  and {counted(rest, f'more {frames[-1].noun}')}", style="dim"))
    return stack(*parts)


def window(marked: Sequence[bool], most: int) -> tuple[int, int]:
    """How many to leave out at the start, and how many to show, so that the first marked one is included."""
    first = next((place for place, mark in enumerate(marked) if mark), 0)
    return max(0, first + 1 - most), min(most, len(marked))


def _frame(frame: Frame, rows_max: int) -> Iterator[View]:
    mark: list[Part] = [("  " + BROKEN, "bold red")] if frame.broken else []
    yield line(f"  {frame.title}", *mark)
    if frame.events:
        yield line(f"    {facts.happened(frame.events)}", style="dim")
    yield from (line(f"    {note}", style="dim") for note in frame.notes)
    first, *others = frame.table.columns
    rows = frame.table.rows
    before, shown = window([row.guilty for row in rows], rows_max)
    if before:
        yield line(f"    {counted(before, first)} before", style="dim")
    numbers = [name for name, cell in zip(others, rows[0].cells, strict=True) if cell.numeric] if rows else []
    yield plain_table([f"    {first}", *others], map(_row, rows[before : before + shown]), numbers)
    if rest := len(rows) - before - shown:
        yield line(f"    and {counted(rest, f'more {first}')}", style="dim")
    if frame.failure:
        yield line(f"    {frame.failure}", style="red")
    if frame.alternative is not None:
        yield line(f"    {frame.alternative.label}: {frame.alternative.words}", style="green")


def _row(row: Row) -> list[object]:
    name: object = f"    {row.title}"
    if row.guilty:
        name = line("    ", (row.name + GUILTY, "bold red"), row.title.removeprefix(row.name))
    return [name, *map(_cell, row.cells)]


def _cell(cell: Cell) -> object:
    """The cell in one line; a hyphen for an empty one."""
    if not any(tile.guilty for tile in cell.tiles):
        return cell.words or "-"
    parts: list[Part] = []
    for tile in cell.tiles:
        parts += [(tile.text + GUILTY, "bold red") if tile.guilty else tile.text, " "]
    return line(*parts[:-1], f" {cell.note}" if cell.text else "")


_STYLES: Final = {"holds": "green", "violated": "bold red", "unknown": "yellow", "known": "yellow"}
_MARKS: Final = {"violated": "VIOLATED"}


class Detail(Enum):
    """The level of detail of a certificate."""

    QUIET = auto()
    USUAL = auto()
    VERBOSE = auto()


def certificate_view(certificate: Certificate, detail: Detail = Detail.USUAL) -> View:
    """The certificate as readable text: the verdict, what is violated or unknown, each finding, the run."""
    if detail is Detail.QUIET:
        return verdict_line(certificate, names=True)
    verbose = detail is Detail.VERBOSE
    table = _counts_table(certificate.claims) if verbose else _claims_table(certificate.claims)
    findings = facts.findings(certificate)
    return stack(
        verdict_line(certificate),
        table,
        *(_counterexample(result) for result in findings),
        *([line()] if findings else ()),
        *_run(certificate, detail),
    )


def _run(certificate: Certificate, detail: Detail) -> list[View]:
    """What was played, what it covered, and what weakens the verdict."""
    parts: list[View] = [line(f"played: {facts.played(certificate)}", style="dim")]
    if coverage := facts.coverage(certificate):
        parts.append(line(f"covered: {coverage}", style="dim"))
    if controls := facts.controls(certificate):
        parts.append(line(f"controls: {controls}", style="dim"))
    parts += _seen(certificate) if detail is Detail.VERBOSE else []
    return parts + [line(f"warning: {warning}", style="yellow") for warning in facts.warnings(certificate)]


def _claims_table(results: Sequence[ClaimResult]) -> View:
    """The claims that do not hold, a line each, with the reason; the others are in the verdict."""
    rows = [
        (f"  {result.id}", (_MARKS.get(mark, mark), _STYLES[mark]), (reason, "dim"))
        for result, mark, reason in facts.judged(results)
        if mark != Verdict.HOLDS.value
    ]
    return plain_table(("claim", "verdict", "why"), rows, header=False) if rows else stack()


def _counterexample(result: ClaimResult) -> View:
    example = result.counterexample
    if example is None:
        return line()
    violations = example.trace.violations
    parts: list[View] = [
        line(),
        line((result.id, "bold"), f": {result.sentence}"),
        *(line(f"  {message.removeprefix(f'{result.id}: ')}", style="red") for message in violations[:4]),
    ]
    if len(violations) > 4:
        parts.append(line(f"  and {len(violations) - 4} more"))
    trace = example.trace
    parts += [
        line(f"  smallest {example.trace.kind.nouns.case}: {facts.size(example)}", style="dim"),
        line(),
        story(frames_of_trace(trace)),
    ]
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


def verdict_line(certificate: Certificate, *, names: bool = False) -> View:
    """The verdict on a target in one line that never wraps: how many claims are violated, hold, are unknown.

    With `names`, those that are violated are named.
    """
    style = {"certified": "bold green", "not-certified": "bold red", "unknown": "bold yellow"}
    by_verdict: dict[Verdict, list[str]] = {each: [] for each in Verdict}
    for claim in certificate.claims:
        if claim.known is None:
            by_verdict[claim.verdict].append(claim.id)
    violated, holding = by_verdict[Verdict.VIOLATED], len(by_verdict[Verdict.HOLDS])
    parts = []
    if violated:
        named = f" ({', '.join(violated)})" if names else ""
        parts.append(f"{counted(len(violated), 'claim')} violated{named}")
    if unknown := len(by_verdict[Verdict.UNKNOWN]):
        parts.append(f"{unknown if parts else counted(unknown, 'claim')} unknown")
    if holding:
        parts.append(
            f"{holding if parts else counted(holding, 'claim')} {'holds' if holding == 1 else 'hold'}"
        )
    if known := sum(1 for c in certificate.claims if c.known is not None):
        parts.append(counted(known, "known violation"))
    text = ", ".join(parts)
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

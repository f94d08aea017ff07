"""Findings about settings, and golden vectors, each described once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kassay.engines.lint.run import LintReport
from kassay.engines.vectors.check import FileResult
from kassay.report.blocks import Block, Described, RowsBlock, TextBlock, VerdictBlock
from kassay.writing.text import counted

FAILURES_SHOWN: Final = 5


def lint_described(report: LintReport) -> Described:
    """The number of errors, and a row for each finding."""
    warnings = len(report.findings) - report.errors
    verdict = VerdictBlock(
        "Errors" if report.errors else "No errors",
        "bad" if report.errors else "warn" if warnings else "ok",
        ", ".join(f"{name} ({what})" for name, what in report.files),
        f"{counted(report.errors, 'error')}, {counted(warnings, 'warning')}.",
    )
    rows = tuple(
        (
            str(each.place),
            each.field,
            str(each.severity),
            each.outcome,
            f"{each.holds_in}; {each.source}",
            each.command or "-",
        )
        for each in report.findings
    )
    columns = ("place", "setting", "severity", "outcome", "holds in; source", "shown by")
    blocks: tuple[Block, ...] = (verdict, RowsBlock(columns, rows)) if rows else (verdict,)
    return Described("settings and reassignments", (blocks,))


def vectors_described(files: Sequence[FileResult]) -> Described:
    """How many vectors of each file have Kafka's answer, and the first that have another."""
    failed = sum(len(each.failures) for each in files)
    passed = sum(each.passed for each in files)
    unknown = [each.name for each in files if each.unknown is not None]
    word, look = ("Failed", "bad") if failed else ("Unknown", "warn") if unknown else ("Passed", "ok")
    said = f"{passed:,} passed, {failed:,} failed"
    verdict = VerdictBlock(word, look, counted(len(files), "file"), f"{said}, {len(unknown)} unknown.")
    return Described("golden vectors", ((verdict, *vector_blocks(files)),))


def vector_blocks(files: Sequence[FileResult]) -> Iterator[Block]:
    """A line for each file, with its first failures below."""
    for each in files:
        if each.unknown is not None:
            yield TextBlock(f"{each.name}: unknown ({each.unknown})")
            continue
        yield TextBlock(f"{each.name}: {each.passed} passed, {len(each.failures)} failed")
        for vector_id, message in each.failures[:FAILURES_SHOWN]:
            yield TextBlock(f"{vector_id}: {message}", depth=2)
        if (more := len(each.failures) - FAILURES_SHOWN) > 0:
            yield TextBlock(f"and {more} more", depth=2)

"""Findings about settings and reassignments, for a terminal."""

from __future__ import annotations

from kassay.engines.lint.run import LintReport
from kassay.engines.replicas.lint import LintSeverity
from kassay.report.screen.console import View, line, stack, whole_line
from kassay.writing.text import counted


def lint_report_view(report: LintReport) -> View:
    """Each finding with where it holds, who says so and the command that shows it; then the total."""
    parts: list[View] = []
    for each in report.findings:
        parts.append(whole_line(str(each), style="red" if each.severity is LintSeverity.ERROR else "yellow"))
        parts.append(line(f"    {each.holds_in}; {each.source}", style="dim"))
        if each.command is not None:
            parts.append(whole_line(f"    {each.command}", style="dim"))
    warnings = len(report.findings) - report.errors
    files = ", ".join(f"{name} ({what})" for name, what in report.files)
    total = f"{counted(report.errors, 'error')}, {counted(warnings, 'warning')}"
    return stack(*parts, line(f"{files}: {total}", style="bold"))

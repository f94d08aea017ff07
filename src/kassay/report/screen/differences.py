"""What two targets say differently, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from kassay.certify.diff.compare import Lead
from kassay.certify.diff.document import TargetDifference
from kassay.certify.diff.replay import ReplayedDifference
from kassay.certify.diff.run import DiffReport, SmallestDifference
from kassay.report.facts import counted
from kassay.report.screen.console import View, line, stack, whole_line
from kassay.report.screen.terminal import story
from kassay.writing.text import shell_command

_SHOWN_MAX = 8


def diff_view(report: DiffReport, path: str | None) -> View:
    """On how many inputs the two were compared, and the smallest difference with its replay command."""
    place = f"every group up to {report.scope}" if report.scope else f"seed {report.seed}"
    played = f"{_histories(report.cases)}, {counted(report.inputs, 'input')}, by {report.by}, {place}"
    parts: list[View] = [
        line((report.left, "bold"), " and ", (report.right, "bold"), (f"  {played}", "dim")),
    ]
    if report.smallest is not None:
        parts += _difference(report.smallest, path)
    return stack(*parts, _verdict(report), line())


def _difference(smallest: SmallestDifference, path: str | None) -> list[View]:
    difference = smallest.difference
    kind = "contradictory" if difference.contradictory else "ordinary"
    counts = ", ".join(counted(number, noun[:-1]) for noun, number in smallest.counts.items())
    return [
        line(f"  smallest found: {counts}; {kind} input; as {leading(difference)} answers:"),
        line(),
        story(difference.narration),
        *lines_view(difference.lines),
        *(
            [whole_line(f"  replay: {shell_command(('kassay', 'replay', path))}", style="cyan")]
            if path
            else []
        ),
        line(),
    ]


def replayed_view(replayed: ReplayedDifference) -> View:
    """What the two said when a difference was put to them again."""
    difference = replayed.difference
    left, right = difference.left.target, difference.right.target
    words = {"violated": "still differ", "holds": "no longer differ", "unknown": "may still differ"}
    return stack(
        line(f"replaying {left} and {right}, as {leading(difference)} answers"),
        *(line(f"  another than recorded: {change}", style="yellow") for change in replayed.changes),
        story(replayed.narration),
        *lines_view(replayed.lines),
        line(f"{left} and {right} {words[replayed.verdict]}" + (f": {replayed.why}" if replayed.why else "")),
    )


def leading(difference: TargetDifference) -> str:
    """The target whose answers the history lives by."""
    return (difference.left if difference.lead is Lead.LEFT else difference.right).target


def lines_view(lines: Sequence[str]) -> list[View]:
    """What the two say differently, a line each."""
    more = len(lines) - _SHOWN_MAX
    return [
        *(line(f"  {each}", style="red") for each in lines[:_SHOWN_MAX]),
        *([line(f"  and {more} more", style="dim")] if more > 0 else []),
    ]


def _verdict(report: DiffReport) -> View:
    inputs = counted(report.inputs, "input")
    if report.verdict == "differ":
        return line(("DIFFERENT", "bold red"), f"  in {report.differing} of {_histories(report.cases)}")
    if report.verdict == "alike":
        return line(("ALIKE", "bold green"), f"  on {inputs}")
    why = (
        "interrupted"
        if report.interrupted
        else "the time was over"
        if report.inputs
        else "nothing to compare"
    )
    return line(("UNKNOWN", "bold yellow"), f"  alike on {inputs}: {why}")


def _histories(number: int) -> str:
    return "1 history" if number == 1 else f"{number} histories"
